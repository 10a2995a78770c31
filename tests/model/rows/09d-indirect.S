/*
 * Row 9d: indirect jump and call, a return to elsewhere; what was in the TNT buffer comes first.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip target
 * tnt.8 .
 * tip function
 * tip elsewhere
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    xorl %ebx, %ebx
    TRACE_ON
    leaq target(%rip), %rax
    jmp *%rax
target:
    testl %ebx, %ebx
    jnz target
    leaq function(%rip), %rax
    call *%rax
    nop
function:
    popq %rcx
    leaq elsewhere(%rip), %rax
    pushq %rax
    ret
elsewhere:
    TRACE_OFF
    ROW_END
