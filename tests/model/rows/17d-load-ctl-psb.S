/*
 * PSB+ in non-root operation has NR=1 in PIP, and VMCS (36.3.7).
 *
 * options: profile=icelake
 *
 * expect:
 * mode.exec cs.l
 * tip.pge guest
 * psb
 * cbr *
 * pip 72000, nr
 * vmcs 401000
 * mode.tsx
 * mode.exec cs.l
 * fup guest
 * psbend
 * fup exits
 * pip 70000
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL_FIELD CTL_DEFAULT
    SET_MSR RTIT_STATUS, 0
    GUEST_ENTRY_AND_EXIT_UNTRACED
    ROW_END
