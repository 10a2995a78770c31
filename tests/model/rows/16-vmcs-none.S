/*
 * A VMPTRLD that fails has no VMCS packet; where no VMCS is loaded, PSB+ has one whose address is all ones (36.4.2.15).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 * mode.exec cs.l
 * tip.pge again
 * psb
 * cbr *
 * pip 70000
 * vmcs ffffffffff000
 * mode.tsx
 * mode.exec cs.l
 * fup again
 * psbend
 * fup again_off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START host, host
    vmclear vmcs_pointer
    TRACE_ON
    vmptrld vmxon_pointer
    TRACE_OFF
    SET_MSR RTIT_STATUS, 0
    TRACE_ON_AT again, CTL_DEFAULT
    TRACE_OFF again_off
host:
    VMX_END
    ret
    VMX_POINTERS
    ROW_END
