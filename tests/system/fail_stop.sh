#!/bin/bash
# A guest that crashes: the hypervisor says how, with the registers, and the trace of all that led there arrives.
. tests/system/lib.sh

ENDS=stop check 'a triple fault is reported and the CPU parked' \
    boot crash build/guests/ends.bzImage '' 'triple 1000' ''
console_has 'the guest got there' crash 'ends: now'
console_has 'the reason is named' crash 'undertrace: guest triple fault on CPU 0; the guest is stopped'
console_has 'the VMCS is shown' crash 'guest-physical address'
check 'the capture is complete' grep -q complete "$work/crash/receive.log"
same 'the exit is counted' "$(jq '.end."exit.triple_fault"' "$work/crash/capture/meta.json")" 1
exact 'what was traced equals the truth, up to the fault' crash
done_testing
