/*
 * Row 13e for a page fault, on a fetch and on a load: FUP has the address that faults.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup load
 * tip handler
 * tip resume
 * tip 123400000000
 * fup 123400000000
 * tip handler
 * tip resume2
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 14, handler
    movabsq $0x123400000000, %rbx
    leaq resume(%rip), %rsi
    TRACE_ON
load:
    movl (%rbx), %eax
resume:
    leaq resume2(%rip), %rsi
    jmp *%rbx
resume2:
    TRACE_OFF
    ret
handler:
    addq $8, %rsp
    movq %rsi, (%rsp)
    iretq
    ROW_END
