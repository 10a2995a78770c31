#!/bin/bash
# The self-test's own guest: in each way that trace gets into memory it is traced, and the receiver finds the branches that it must
# take. The model of them against the emulator's own list; what is damaged or lost is found.
. tests/system/lib.sh

export MEMORY=256 WIRE='rate=0 latency=0'

# guest NAME OPTIONS: boot it, judge it. The judgement: NAME.txt, its exit status: NAME.status
guest() {
    ELF=build/undertrace.elf KERNEL='' INITRD='' CMDLINE='' OPTIONS="guest=builtin channel=net $2" tests/rig/iso.sh "$work/$1.iso"
    check "$1: it runs to its end" env ISO="$work/$1.iso" tests/rig/boot.sh "$work/$1"
    judge "$1" "$work/$1/capture"
}

judge() {
    build/undertrace hardware "$2" >"$work/$1.txt" 2>"$work/$1.err"
    echo $? >"$work/$1.status"
    sed -n '/whose branches are known$/,/^[^ ]*differ/p' "$work/$1.txt" >"$work/$1.found"
}

# whole NAME BRANCHES
whole() {
    same "$1: each of its branches" "$(sed -n 2,3p "$work/$1.found")" \
        "  $2 of $2 branches are the expected ones"$'\n''  0 gaps, 0 overflows (OVF)'
    same "$1: nothing is wrong" "$(grep -c WRONG "$work/$1.found")" 0
}

branches=1782889
BRANCHES=1 guest topa 'pt.scheme=topa pt.region=16K pt.psb=2K'
whole topa $branches
same 'the status says so' "$(cat "$work/topa.status")" 0
check 'they are those that the emulator has seen' build/undertrace verify "$work/topa/capture" "$work/topa/truth.bin" \
    --branches-truth "$work/topa/branches.bin"
same 'many PMIs' "$(awk '/ToPA PMIs?/ { print ($1 > 50) }' "$work/topa.found")" 1
# Every 2 KiB, and one more where a region is restarted after a PMI that came late, at a random distance from the one
# before.
same 'PSBs as near as asked for' "$(awk '/ PSBs?, / { print ($1 > 500 && $1 < 900), ($5 < 2200) }' "$work/topa.found")" '1 1'
build/undertrace hardware "$work/topa/capture" -o "$work/topa.file" >/dev/null
check 'the file says the same as the capture' cmp <(build/undertrace hardware "$work/topa.file") "$work/topa.txt"

guest single 'pt.scheme=single pt.region=16K'
whole single $branches
guest range 'pt.scheme=range'
whole range $branches
PTMODEL=profile=none guest soft ''
whole soft 29246

# Skid, and two PMIs at a time.
PTMODEL='profile=skylake, skid=9000, second=400' guest late 'pt.scheme=topa pt.region=16K'
same 'late PMIs: each of its branches' "$(sed -n 2p "$work/late.found")" "  $branches of $branches branches are the expected ones"
same 'how late is said' "$(awk '/ToPA PMIs?/ { print ($6 > 1000) }' "$work/late.found")" 1

# Overflows take branches away; that is no fault of the CPU's.
PTMODEL='profile=skylake, ovf=every:20000:500' guest lost 'pt.scheme=topa pt.region=16K'
same 'overflows: some branches are missing, which the overflows explain' \
    "$(awk '/expected ones/ { print ($1 < $3) } /are missing/ { print ($1 > 0) } /OVF/ { print ($3 > 0) }' "$work/lost.found" | tr '\n' ' ')$(grep -c WRONG "$work/lost.found")" '1 1 1 0'

# Damage.
cp -r "$work/topa/capture" "$work/flipped"
size=$(stat -c %s "$work/flipped/cpu0.pt")
at=$((size / 2 + 1))
byte=$(od -A n -t u1 -j $at -N 1 "$work/flipped/cpu0.pt")
# shellcheck disable=SC2059 # an escape that is made here
printf "\\x$(printf %x $((byte ^ 2)))" | dd of="$work/flipped/cpu0.pt" bs=1 seek=$at conv=notrunc status=none
judge flipped "$work/flipped"
same 'a bit that was changed is found' "$(cat "$work/flipped.status") $(grep -c 'WRONG: .*expected ones' "$work/flipped.found")" '2 1'
# Cut off: what is missing has no gap that says so.
cp -r "$work/topa/capture" "$work/cut"
truncate -s $((size / 2)) "$work/cut/cpu0.pt"
judge cut "$work/cut"
same 'a trace that was cut is found' "$(cat "$work/cut.status") $(grep -c 'WRONG: .*missing' "$work/cut.found")" '2 1'

# Where nothing can be traced it is said.
guest none 'pt=off'
same 'without a trace' "$(cat "$work/none.status") $(grep WRONG "$work/none.found")" '2   WRONG: nothing was traced of it'
done_testing
