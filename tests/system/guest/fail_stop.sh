#!/bin/bash
# A guest that crashes: the hypervisor says how, with the registers, and the trace of all that led there arrives.
. tests/system/lib.sh

ENDS=stop check 'a triple fault is reported and the CPU parked' \
    boot crash build/guests/ends.bzImage '' 'triple 1000' 'triple=stop'
console_has 'the guest got there' crash 'ends: now'
console_has 'the reason is named' crash 'undertrace: guest triple fault on CPU 0; the guest is stopped'
console_has 'the VMCS is shown' crash 'guest-physical address'
check 'the capture is complete' grep -q complete "$work/crash/receive.log"
same 'the exit is counted' "$(jq '.end."exit.triple_fault"' "$work/crash/capture/meta.json")" 1
exact 'what was traced equals the truth, up to the fault' crash

# Without the option the machine is reset, as it would be without the hypervisor; no part of the trace is missing either.
ENDS=reset check 'a triple fault resets the machine' boot reset build/guests/ends.bzImage '' 'triple 1000' ''
console_has 'the reason is named there too' reset ': the machine is reset'
check 'its capture is complete' grep -q complete "$work/reset/receive.log"
exact 'and equals the truth, up to the fault' reset

# In soft PT too.
ENDS=stop PTMODEL=profile=none MEMORY=256 QUIET=100 MOST=3000 BRANCHES=1 check 'a triple fault with soft PT' \
    boot soft build/guests/ends.bzImage '' 'triple 1000' 'triple=stop'
console_has 'its reason is named' soft 'undertrace: guest triple fault on CPU 0; the guest is stopped'
build/undertrace decode "$work/soft/capture" --branches - 2>/dev/null | grep -E '^[0-9a-f]{16} ' >"$work/soft/decoded"
check "and each of its $(wc -l <"$work/soft/decoded") branches is as the CPU took it" \
    cmp <(od -An -v -t x8 -w16 "$work/soft/branches.bin" | cut -c 2-) "$work/soft/decoded"
check 'which are some' test "$(wc -l <"$work/soft/decoded")" -gt 1000
done_testing
