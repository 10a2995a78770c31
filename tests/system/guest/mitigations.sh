#!/bin/bash
# mitigations=on: what root does at each VM exit and before each VM entry, as the emulator counts it (tests/model/pt_speculation.cc);
# and the guest's IA32_SPEC_CTRL stays its own.
. tests/system/lib.sh

export MEMORY=256 CPU=corei7_icelake_u

log_has() { check "$1" grep -q "mitigations=on: $3\$" <(build/undertrace info "$work/$2/capture"); }
# The emulator's count $2 of boot $1.
count() { sed -n "s/^ptmodel: speculation:.* $2 \([0-9]*\).*/\1/p" "$work/$1/emulator.log"; }

PTMODEL='profile=skylake, leaks=1' check 'a guest with a value of its own runs' \
    boot own build/guests/hostile.bzImage '' speculation 'channel=e1000 mitigations=on'
console_has 'which it finds again after each VM exit' own 'hostile: IA32_SPEC_CTRL as it was written 200'
log_has 'the log has the measures' own 'at each VM exit and entry: RSB IBRS L1D_FLUSH'
log_has 'and what this CPU lacks' own 'load newer microcode by the firmware, this CPU lacks: VERW'
check "the emulator has seen VM entries ($(count own entries))" [ "$(count own entries)" -gt 200 ]
same 'before each of them the L1 data cache was flushed' "$(count own without-l1d-flush)" 0
same 'root ran with IBRS' "$(count own without-ibrs)" 0
same 'and the guest with its own value' "$(count own other-spec-ctrl)" 0
exact 'all branches equal the truth' own
clean_log own

# NMIs that arrive in root mode lead back to it before VM entry.
PTMODEL='profile=skylake, leaks=1, skid=300, second=200, seed=7' CPUS=2 check 'a storm of NMIs' boot storm build/guests/smp.bzImage '' \
    'cpus=2 rounds=20000 small' 'channel=e1000 pt.region=4K pt.regions=16 mitigations=on'
console_has 'none of which is lost' storm 'smp: ok'
same 'each VM entry has its measures' "$(count storm without-l1d-flush) $(count storm without-ibrs) $(count storm other-spec-ctrl)" '0 0 0'
exact 'all branches of both CPUs equal the truth' storm
clean_log storm

# A CPU that is not subject to L1 terminal fault: the cache is not flushed.
PTMODEL='profile=skylake' check 'a newer CPU' boot newer build/guests/hostile.bzImage '' speculation 'channel=e1000 mitigations=on'
log_has 'flushes nothing' newer 'at each VM exit and entry: RSB IBRS'
same 'as the emulator counts' "$(count newer without-l1d-flush) $(count newer without-ibrs)" "$(count newer entries) 0"
check 'and without the option nothing is done' boot off build/guests/hostile.bzImage '' speculation channel=e1000
same 'as the emulator counts' "$(count off entries)" ''
console_has 'and the guest' off 'hostile: ok'
done_testing
