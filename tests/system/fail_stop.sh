#!/bin/bash
# A guest that crashes: the hypervisor says how, with the registers, and the trace of all that led there arrives.
. tests/system/lib.sh

UNTIL='is parked' check 'a triple fault is reported and the CPU parked' boot_guest crash crash ''
console_has 'the guest got there' crash 'crash: now'
console_has 'the reason is named' crash 'undertrace: guest triple fault on CPU 0; the guest is stopped'
console_has 'the VMCS is shown' crash 'guest-physical address'
check 'the capture is complete' grep -q complete "$work/crash/receive.log"
same 'the exit is counted' "$(jq '.end."exit.triple_fault"' "$work/crash/capture/meta.json")" 1
check 'what was traced decodes' build/undertrace decode "$work/crash/capture"
done_testing
