/*
 * VMPTRLD writes a VMCS packet (36.4.2.15); PSB+ in VMX operation has one, and NR=0 in PIP.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * vmcs 401000
 * fup off
 * tip.pgd
 * mode.exec cs.l
 * tip.pge again
 * psb
 * cbr *
 * pip 70000
 * vmcs 401000
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
    leaq vmcs_pointer(%rip), %rbx
    TRACE_ON
    vmptrld (%rbx)
    TRACE_OFF
    SET_MSR RTIT_STATUS, 0
    TRACE_ON_AT again, CTL_DEFAULT
    TRACE_OFF again_off
host:
    VMX_END
    ret
    VMX_POINTERS
    ROW_END
