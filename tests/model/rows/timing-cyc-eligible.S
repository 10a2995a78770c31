/*
 * VMCS and PTWRITE packets are CYC-eligible, CBR and FUP are not (36.3.6).
 *
 * options: profile=icelake
 *
 * expect:
 * cbr *
 * cyc 0
 * mode.exec cs.l
 * tip.pge on
 * cyc 5
 * vmcs 401000
 * cyc 8
 * ptw 0: 77, ip
 * fup writes
 * fup off
 * cyc 4
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START host, host
    movl $0x77, %ebx
    TRACE_ON CTL_DEFAULT | CTL_CYC_EN | 1 << 12 | 1 << 5
    NOPS 4
    vmptrld vmcs_pointer
    NOPS 7
writes:
    ptwritel %ebx
    TRACE_OFF
host:
    VMX_END
    ret
    VMX_POINTERS
    ROW_END
