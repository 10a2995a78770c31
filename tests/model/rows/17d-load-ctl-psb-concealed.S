/*
 * PSB+ in non-root operation with "conceal VMX from PT": NR=0 in PIP, no VMCS; with the VM-exit control, no PIP (36.5.1).
 *
 * options: profile=icelake
 *
 * expect:
 * mode.exec cs.l
 * tip.pge guest
 * psb
 * cbr *
 * pip 72000
 * mode.tsx
 * mode.exec cs.l
 * fup guest
 * psbend
 * fup exits
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL_FIELD CTL_DEFAULT
    VM_CONTROL_SET 0x401e, 1 << 19
    VM_CONTROL_SET 0x400c, 1 << 24
    SET_MSR RTIT_STATUS, 0
    GUEST_ENTRY_AND_EXIT_UNTRACED
    ROW_END
