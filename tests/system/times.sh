#!/bin/bash
# The TSC of each branch, as the timing packets tell it, beside what it was in the emulated CPU.
. tests/system/lib.sh

# Ticks of the TSC in one of the crystal, CPUID.15H of the emulated processor.
crystal=146

# timed NAME OPTIONS: boots; what times_agree says goes to $work/NAME.said.
timed() {
    BRANCHES=1 TIMES=1 boot_guest "$1" branches "channel=e1000 net.mtu=9000 pt.switch=list $2" &&
        build/tools/times_agree "$work/$1/capture" "$work/$1/branches.bin" >"$work/$1.said"
}

# within NAME OPTIONS EARLY LATE MEAN: no branch is told more than so many ticks early or late.
within() {
    check "$1: it runs, and its branches are the emulator's" timed "$1" "$2"
    sed 's/^/# /' "$work/$1.said"
    check "$1: no branch is more than $3 ticks early, $4 late, $5 in the mean" awk -v e="$3" -v l="$4" -v m="$5" '
        match($0, /off by [0-9.]+/) { mean = substr($0, RSTART + 7, RLENGTH - 7) }
        match($0, /[0-9]+ early/) { early = substr($0, RSTART, RLENGTH - 6) }
        match($0, /[0-9]+ late/) { late = substr($0, RSTART, RLENGTH - 5) }
        END { exit !(early != "" && early + 0 <= e && late + 0 <= l && mean + 0 <= m) }' "$work/$1.said"
}

within mtc3 'pt.mtc=3' $((8 * crystal)) 100 $((4 * crystal))
within mtc0 'pt.mtc=0' $crystal 100 $((crystal / 2))
within cyc 'pt.cyc=0 pt.mtc=3' 150 50 10
done_testing
