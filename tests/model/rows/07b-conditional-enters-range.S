/*
 * Rows 7b, 9b: a taken conditional branch, an indirect jump and call, and a return that set FilterEn.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge by_jcc
 * tip.pgd out1
 * tip.pge by_jmp
 * tip.pgd out2
 * tip.pge by_call
 * tip.pgd out3
 * tip.pge by_ret
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    RANGE 0, by_jcc, end
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    testl %ebx, %ebx
    jz by_jcc
    nop
out1:
    leaq by_jmp(%rip), %rax
    jmp *%rax
out2:
    leaq by_call(%rip), %rax
    call *%rax
out3:
    leaq by_ret(%rip), %rax
    pushq %rax
    ret
by_jcc:
    jmp out1
by_jmp:
    jmp out2
by_call:
    popq %rcx
    jmp out3
by_ret:
    TRACE_OFF
end:
    ROW_END
