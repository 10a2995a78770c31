#!/bin/bash
# The TSC of each branch, as the timing packets give it, beside what it was in the emulated CPU; and whether it was
# within what the decoder says that the packets prove.
. tests/system/lib.sh

# Ticks of the TSC in one of the crystal, CPUID.15H of the emulated processor; and how late an MTC may be, as the decoder's
# bounds allow (decode/engine/clock_bound.c).
crystal=146 late=32

# agrees NAME [CPU]: what times_agree says goes to $work/NAME.said.
agrees() {
    build/tools/times_agree "$work/$1/capture" "$work/$1/branches.bin${2:+.cpu$2}" ${2:+"$2"} >"$work/$1.said"
}

# timed NAME GUEST OPTIONS [CMDLINE]: boots, of as many CPUs as CPUS= says; CPU 0 is compared.
timed() {
    BRANCHES=1 TIMES=1 boot "$1" "build/guests/$2.bzImage" '' "${4:-}" "channel=e1000 net.mtu=9000 pt.switch=list $3" && agrees "$1"
}

# number NAME WORDS: the number before these words in what was said.
number() {
    sed -nE "s/.*[^0-9.]([0-9.]+) $2.*/\1/p; s/^([0-9.]+) $2.*/\1/p" "$work/$1.said" | head -n 1
}

# within NAME EARLY LATE MEAN: no branch's time is more than so many ticks early or late.
within() {
    check "$1: no branch is more than $2 ticks early, $3 late, $4 in the mean" awk -v early="$(number "$1" early)" \
        -v late="$(number "$1" late)" -v mean="$(sed -n 's/.*off by \([0-9.]*\).*/\1/p' "$work/$1.said")" -v e="$2" -v l="$3" -v m="$4" \
        'BEGIN { exit !(early != "" && early + 0 <= e && late + 0 <= l && mean + 0 <= m) }'
}

# proven NAME MEAN UNBOUNDED: each bound holds, they are so narrow in the mean, and not more branches than these have none, since
# no timing packet follows them: not more than a period has ticks.
proven() {
    sed 's/^/# /' "$work/$1.said"
    same "$1: $(number "$1" 'branches bounded') branches were when they are said to have been" "$(number "$1" outside)" 0
    check "$1: that is within $2 ticks in the mean" awk -v mean="$(sed -n 's/.*which are \([0-9.]*\) in.*/\1/p' "$work/$1.said")" -v m="$2" \
        'BEGIN { exit !(mean > 0 && mean + 0 <= m) }'
    at_most "$1: branches without a bound" "$(number "$1" 'not;')" "$3"
}

runs='it runs, and its branches are the emulator'"'"'s'
check "tsc: $runs" timed tsc branches 'pt.mtc=off'
proven tsc 200000 150000
check "mtc3: $runs" timed mtc3 branches 'pt.mtc=3'
within mtc3 $((8 * crystal + late)) 100 $((4 * crystal))
proven mtc3 $((9 * crystal)) $((8 * crystal))
check "mtc0: $runs" timed mtc0 branches 'pt.mtc=0'
within mtc0 $((crystal + late)) 100 $((crystal / 2))
proven mtc0 $((2 * crystal)) $crystal
check "cyc: $runs" timed cyc branches 'pt.cyc=0 pt.mtc=3'
within cyc 150 50 10
proven cyc 100 $((8 * crystal))
# The clock of a waiting core stops, and only the next MTC shows for how long.
check "load: $runs" timed load load 'pt.cyc=0 pt.mtc=3'
proven load 100 $((8 * crystal))
check "exits: $runs" timed exits exits 'pt.cyc=0 pt.mtc=3'
proven exits 200 $((8 * crystal))
# With several CPUs the emulated core clocks do not keep to the ratio of the CBR packets, so that cycles prove nothing.
CPUS=2 check "smp: $runs" timed smp smp 'pt.mtc=0' cpus=2
proven smp $((2 * crystal)) $crystal
check 'smp: and of CPU 1' agrees smp 1
proven smp $((2 * crystal)) $crystal
done_testing
