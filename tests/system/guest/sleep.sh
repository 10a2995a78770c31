#!/bin/bash
# A guest that puts the machine to sleep (S3): the trace has arrived, and log and receiver say that it ends with a sleep,
# after which the guest may continue untraced. A power-off is not a sleep, and a sleep that the chipset does not know does
# not end the trace.
. tests/system/lib.sh
export MEMORY=256

# said NAME: how often the trace's log and the receiver speak of a sleep.
said() {
    echo "$(info "$1" '.log[]' | grep -c 'puts the machine to sleep') $(grep -c 'the guest put the machine to sleep' "$work/$1/receive.log")"
}
sleeps() {
    boot "$1" build/guests/ends.bzImage '' "$2" 'channel=net'
}

ENDS=reset check 'S3: the guest goes to sleep, all of its trace has arrived' sleeps s3 sleep
exact 'it equals the truth up to the sleep' s3
same 'log and receiver say so' "$(said s3)" '1 1'
check 'a power-off' sleeps off off
same 'no message reports a sleep' "$(said off)" '0 0'
check 'a sleep that the chipset does not know: the guest continues to its power-off' sleeps doze doze
console_has 'it is awake' doze 'ends: awake'
exact 'all of it is in the trace' doze
same 'no message reports a sleep then' "$(said doze)" '0 0'

# S1 wakes where it slept, with the hypervisor: the emulator has none, but a sleep that it does not know is as short as one can be. The
# receiver has gone with the end record; the guest must not wait for it for net.stall= seconds, 300 here.
RECEIVE='--linger 0' check 'a guest that wakes when the receiver has gone comes to its end' \
    boot nap build/guests/ends.bzImage '' nap 'channel=net pt.region=4K pt.regions=4'
console_has 'it is awake' nap 'ends: awake'
done_testing
