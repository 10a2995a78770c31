/*
 * Row 5d with CR4.PCIDE: PIP tells CR3[51:12], nothing of the PCID (36.4.2.7); CR3[11:5] is of PAE paging.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000
 * pip 72000
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
    movq %rbx, %cr3
    movq %rsi, %cr3
    TRACE_OFF
    movl $TABLES, %eax
    movq %rax, %cr3
    movq %cr4, %rax
    andl $~(1 << 17), %eax
    movq %rax, %cr4
    ROW_END
