#!/bin/bash
# What the guest shares with us: LVTPC, its counters' status, freezes, NMIs; and that PT is hidden whole.
. tests/system/lib.sh

# right NAME BOOT: all that the guest checked was as it should be
right() {
    local wrong
    wrong=$(grep -a -A1 'IS WRONG' "$work/$2/console.txt")
    if [ -z "$wrong" ] && grep -aq 'sharing: ok' "$work/$2/console.txt"; then
        pass "$1 ($(grep -ac 'is right' "$work/$2/console.txt") checks)"
    else
        fail "$1" "$wrong"
    fi
}

export PTMODEL='profile=skylake, pmu=4'
MEMORY=256 check 'the guest runs' boot_guest quiet sharing ''
right 'PT is not visible; counters and NMIs arrive as programmed' quiet
exact 'and the trace is exact' quiet

# PEBS is the guest's: no record is written in root mode, by its paging structures, whatever the guest enables.
PTMODEL='profile=skylake, pmu=4, pebs=1' MEMORY=256 check 'the guest runs with PEBS' boot_guest pebs sharing ''
right 'and its records are its own' pebs
clean_log pebs

# A PMI each 4 KiB, and Freeze_Perfmon_On_PMI; the counters' PMIs come among ours, through the same LVTPC.
PTMODEL='profile=skylake, pmu=4, skid=100, seed=7, hold=1'
for way in root list; do
    MEMORY=256 check "pt.switch=$way: the guest runs in a storm of PMIs" boot_guest storm-$way sharing \
        "pt.region=4K pt.regions=16 pt.switch=$way"
    right "pt.switch=$way: and all is as without PMIs" storm-$way
    exact "pt.switch=$way: and the trace is exact" storm-$way
done
done_testing
