#!/bin/bash
# A trace many times as long takes no more memory, with each command that lists it and any number of threads, and lists
# the same.
#
# usage: decode_memory.sh [CAPTURE [BYTES [PART_BYTES]]]      without one, a micro-guest is booted; BYTES: how long it is made
. tests/system/lib.sh

capture=${1:-$work/load/capture} bytes=${2:-150000000} part=${3:-2000000}
if [ $# -eq 0 ]; then
    check 'load runs to power-off' boot_guest load load 'channel=e1000 net.mtu=9000'
fi
long=$work/long
mkdir -p "$long"
cp "$capture"/{events.bin,index,meta.json} "$long"

# repeat BYTES: a trace of about so many bytes. Sets times, how often its last part occurs.
repeat() {
    read -r _ _ times < <(build/tools/trace_repeat "$capture/cpu0.pt" "$long/cpu0.pt" "$1" "$part")
}

# decode OPTIONS...: sets branches, gaps and kib, the peak of resident memory.
decode() {
    /usr/bin/time -f %M -o "$work/kib" build/undertrace decode "$long" "$@" >"$work/sums" 2>"$work/said"
    kib=$(tail -n 1 "$work/kib")
    branches=$(awk '$1 == "branches" { gsub(",", "", $2); print $2 }' "$work/sums")
    gaps=$(awk '/^decode gaps/ { sub(",", "", $3); print $3 }' "$work/sums")
}

# Three lengths: the branches grow as the repetitions do.
repeat 1 && decode
first_branches=$branches first_gaps=$gaps
repeat $((bytes / 10)) && decode
step=$(((branches - first_branches) / (times - 1)))
same "each repetition has the same branches ($step)" $((first_branches + (times - 1) * step)) "$branches"
for threads in 1 2 4; do
    build/undertrace decode "$long" --threads $threads --branches "$work/branches.$threads" >/dev/null 2>&1
    [ $threads -eq 1 ] || check "$threads threads list what one does" cmp "$work/branches.1" "$work/branches.$threads"
    [ $threads -eq 1 ] || rm "$work/branches.$threads"
done
same 'and all of them' "$(wc -l <"$work/branches.1")" "$branches"
for threads in 1 4; do
    build/undertrace decode "$long" --threads $threads --merged "$work/merged" >/dev/null 2>&1
    check "$threads threads: by time, too" cmp <(cut -d ' ' -f 3- "$work/merged") "$work/branches.1"
done
rm "$work/branches.1" "$work/merged"
repeat "$bytes"
for threads in 1 2 4; do
    decode --threads $threads
    same "$threads threads: $(stat -c %s "$long/cpu0.pt") bytes have all branches, and no other gaps" "$branches $gaps" \
        "$((first_branches + (times - 1) * step)) $first_gaps"
    at_most "$threads threads: KiB at most" "$kib" $((96 * 1024))
done
decode --threads 4 --branches /dev/null
at_most '4 threads, with a list: KiB at most' "$kib" $((192 * 1024))
decode --threads 4 --merged /dev/null
at_most '4 threads, with a list by time: KiB at most' "$kib" $((192 * 1024))
rm "$long/cpu0.pt"
done_testing
