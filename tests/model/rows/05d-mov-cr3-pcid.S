/*
 * Row 5d with CR4.PCIDE: PIP tells CR3[51:5], some of the PCID among it.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000
 * pip 72fe0
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    movq %cr4, %rax
    orl $1 << 17, %eax
    movq %rax, %cr4
    movl $OTHER_TABLES | 0x01f, %ebx
    movl $OTHER_TABLES | 0xfe7, %esi
    TRACE_ON
    movq %rbx, %cr3 /* CR3[4:0] is not told */
    movq %rsi, %cr3
    TRACE_OFF
    movl $TABLES, %eax
    movq %rax, %cr3
    movq %cr4, %rax
    andl $~(1 << 17), %eax
    movq %rax, %cr4
    ROW_END
