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
    VMX_START host, host
    VMX_END
    leaq vmxon_pointer(%rip), %rbx
    TRACE_ON
    vmxon (%rbx)
    vmxoff
    TRACE_OFF
host:
    ret
    VMX_POINTERS
    ROW_END
