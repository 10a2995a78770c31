#!/bin/bash
# A matrix of short boots: output schemes x region sizes and numbers x skids and second PMIs x policies x ways across VM
# entries, drawn by a seed. Every capture must equal the truth outside of the gaps that it records.
#
# MATRIX_SEED (1) names the sequence, MATRIX_FIRST (0) where in it to begin, MATRIX_COUNT (1000) how many at most, and
# MATRIX_SECONDS (240) after how long to start no more. MATRIX_JOBS (2) run at once.
#
# usage: matrix.sh [one INDEX DIR]     the boot of one place in the sequence, for looking into it
set -u

seed=${MATRIX_SEED:-1}

# A number below $1, from the sequence that seed and index begin: 31 bits of a linear congruential generator (glibc's).
state=0
below() {
    state=$(((state * 1103515245 + 12345) & 0x7fffffff))
    drawn=$(((state >> 8) % $1))
}
pick() {
    below $#
    shift $drawn
    picked=$1
}

# Sets profile, words (of the emulator), options (of the hypervisor), guest, exact (1: there must be no gap).
draw() {
    local index=$1 scheme size regions skid way n
    state=$((((seed << 16) + index) * 2654435761 % 0x7fffffff))
    for ((n = 0; n < 8; n++)); do below 1000; done
    exact=0
    pick topa topa chained single single forced range
    scheme=$picked
    pick 4K 8K 16K 32K 64K 128K 256K 512K 1M 4M
    size=$picked
    below 12
    regions=$((4 + drawn))
    pick 0 0 10 100 400 1000 4000 9000 20000 70000 300000
    skid=$picked
    profile=skylake
    case $scheme in
    chained)
        size=4K
        pick 511 512 600 1022 1023 2044 4096
        regions=$picked
        options="pt.scheme=topa"
        ;;
    single | forced)
        [ "$scheme" = forced ] || profile="broadwell, vmxmisc14=1"
        pick on off
        options="pt.scheme=single pt.stop=$picked"
        ;;
    *) options="pt.scheme=$scheme" ;;
    esac
    pick root root list vmcs
    way=$picked
    case $way,$profile in
    vmcs,skylake) profile=icelake ;; # the controls that load and clear IA32_RTIT_CTL
    vmcs,*) way=list ;;
    esac
    options="$options pt.switch=$way pt.region=$size pt.regions=$regions"
    words="profile=$profile, skid=$skid, seed=$((index + 1))"
    pick 0 0 1 50 5000
    [ "$picked" = 0 ] || words="$words, second=$picked"
    pick 0 1 3 8
    words="$words, ahead=$picked"
    pick stall stall drop
    options="$options policy=$picked"
    pick on off
    options="$options pt.retc=$picked"
    pick load load branches selfmod
    guest=$picked
    case $scheme,$size,$skid in
    topa,*,0 | topa,*,10 | topa,*,100 | topa,*,400 | topa,*,1000 | topa,*,4000 | chained,*,?00) exact=1 ;;
    single,*,0 | single,*,10 | single,*,100) exact=1 ;;
    esac
    [[ $options == *policy=stall* ]] || exact=0
}

# Prints "ok INDEX what" or "not ok INDEX what" and why.
one() {
    local index=$1 dir=$2/$1 what gaps
    draw "$index"
    what="$options, $words, $guest"
    mkdir -p "$2"
    if ! ELF=build/undertrace.elf KERNEL=build/guests/$guest.bzImage INITRD='' CMDLINE='' \
        OPTIONS="channel=e1000 net.mtu=9000 $options" tests/rig/iso.sh "$dir.iso" >"$dir.log" 2>&1 ||
        ! ISO=$dir.iso TIMEOUT=120 PTMODEL=$words tests/rig/boot.sh "$dir" >>"$dir.log" 2>&1; then
        echo "not ok $index $what: the boot failed: $(tail -n 1 "$dir.log")"
    elif ! build/undertrace verify --threads 1 "$dir/capture" "$dir/truth.bin" --json "$dir/verify.json" \
        >"$dir/verify.log" 2>&1; then
        echo "not ok $index $what: $(grep -v '^instr\|^seconds' "$dir/verify.log" | tr '\n' ';')"
    elif gaps=$(jq '.end.gaps' "$dir/capture/meta.json") && [ "$exact" = 1 ] && [ "$gaps" != 0 ]; then
        echo "not ok $index $what: $gaps gaps, none are allowed"
    elif [ "$(jq '.matched' "$dir/verify.json")" -eq 0 ] && [ "$gaps" = 0 ]; then
        echo "not ok $index $what: nothing was traced"
    else
        echo "ok $index $what ($gaps gaps, $(jq .matched "$dir/verify.json") of $(jq .branches "$dir/verify.json") branches)"
        [ -n "${MATRIX_KEEP-1}" ] || rm -rf "$dir" "$dir.iso" "$dir.log"
    fi
}

if [ "${1:-}" = one ]; then
    one "$2" "$3"
    exit
fi

. tests/system/lib.sh
first=${MATRIX_FIRST:-0} count=${MATRIX_COUNT:-1000} seconds=${MATRIX_SECONDS:-240}
for ((index = first; index < first + count && SECONDS < seconds; index++)); do
    while [ "$(jobs -rp | wc -l)" -ge "${MATRIX_JOBS:-2}" ]; do wait -n; done
    MATRIX_KEEP='' "$0" one "$index" "$work" >"$work/$index.result" 2>&1 &
done
wait
for result in $(ls "$work"/*.result | sort -V); do
    line=$(cat "$result")
    if [[ $line == ok\ * ]]; then pass "${line#ok }"; else fail "${line#not ok }" ''; fi
done
at_most 'boots that there are at least' 8 $test_count
done_testing
