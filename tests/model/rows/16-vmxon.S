/*
 * VMXON and VMXOFF with IA32_VMX_MISC[14] = 1 change nothing (36.5.1).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host

    VMX_START host, host
    VMX_END
    leaq pointer(%rip), %rbx
    TRACE_ON
    vmxon (%rbx)
    vmxoff
    TRACE_OFF
host:
    ret
    .balign 8
pointer:
    .quad 0x400000

    VMX_END
    ret
guest:
    nop
exits:
    vmcall
    ROW_END
