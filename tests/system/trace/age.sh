#!/bin/bash
# pt.flush=: how old what is lost can be when a machine dies without a word. The plug is pulled at random moments, while the guest
# computes, halts for long or does what has no branches; all branches must have arrived but those of the last 100 ms.
. tests/system/lib.sh

# 50 million ticks are a second. What is sent at the last moment is on the wire then, or waits in the card.
hundred_ms=5000000 wire=100000

# unplug NAME TICKS OPTIONS [CMDLINE]: the plug is pulled so many ticks after the first VM entry.
unplug() {
    PTMODEL="profile=skylake, unplug=$2" ENDS=unplugged BRANCHES=1 TIMES=1 check "$1: the plug is pulled after $2 ticks" \
        boot "$1" build/guests/age.bzImage '' "${4:-rounds=1000}" "channel=e1000 $3"
}

# lost NAME [CPU]: since how many ticks the oldest branch that did not arrive had been executed, 0 if all had arrived. Nothing, if
# what arrived is not what was executed.
lost() {
    local list=$work/$1/branches.bin${2:+.cpu$2} said arrived end oldest
    said=$(build/tools/times_agree "$work/$1/capture" "$list" ${2:+"$2"}) || return
    arrived=${said%% *} end=$(sed -n 's/^ptmodel: the plug was pulled at TSC //p' "$work/$1/emulator.log")
    oldest=$(od -An -t u8 -j $((8 * arrived)) -N 8 "$list.times" | tr -d ' ')
    echo $((end - ${oldest:-$end}))
}

RANDOM=7
for try in 1 2 3 4 5 6; do
    unplug "$try" $((RANDOM * 8192 + RANDOM)) ''
    at_most "$try: ticks since what is lost" "$(lost "$try")" $((hundred_ms + wire))
done
unplug short 41234567 pt.flush=5
at_most 'pt.flush=5: ticks since what is lost' "$(lost short)" $((hundred_ms / 20 + wire))
for scheme in single range; do
    unplug $scheme 71234567 pt.scheme=$scheme
    at_most "pt.scheme=$scheme: ticks since what is lost" "$(lost $scheme)" $((hundred_ms + wire))
done
unplug off 41234567 pt.flush=off
check 'pt.flush=off: all is lost, as no region is full' test "$(lost off)" -gt $((4 * hundred_ms))
unplug ring 41234567 policy=ring
check 'policy=ring: nothing is sent either' test "$(lost ring)" -gt $((4 * hundred_ms))

# A CPU that waits for a SIPI has no timer.
CPUS=2 unplug parked 21234567 '' 'rounds=1000 parks'
at_most 'parked: ticks since what is lost of the first CPU' "$(lost parked)" $((hundred_ms + wire))
same 'parked: nothing is lost of the second CPU, which had stopped long before' "$(lost parked 1)" 0

# What the receiver has been given is what the guest executed, whenever it was sent.
check 'the guest runs to its end' boot whole build/guests/age.bzImage '' rounds=30 channel=e1000
exact 'its branches are the emulator'"'"'s' whole
done_testing
