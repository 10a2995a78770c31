/*
 * With IA32_VMX_MISC[14] = 0, VMXON clears TraceEn, and WRMSR cannot set it in VMX operation (36.5.1). The FUP has
 * VMXON's address, as with WRMSR (row 3b).
 *
 * options: profile=novmxpt
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup clears
 * tip.pgd
 * report 0
 * fault 13
 */
#include "row.h"

    ROW
    VMX_START host, host
    VMX_END
    leaq vmxon_pointer(%rip), %rbx
    TRACE_ON
clears:
    vmxon (%rbx)
    movl $RTIT_CTL, %ecx
    rdmsr
    andl $CTL_TRACE_EN, %eax
    REPORT %rax
    movl $CTL_DEFAULT, %eax
    xorl %edx, %edx
    movl $RTIT_CTL, %ecx
    TRY wrmsr
    VMX_END
host:
    ret
    VMX_POINTERS
    ROW_END
