/*
 * Rows 5b and 5c with CR4.PCIDE: the CR3 filter compares CR3[63:5] (36.2.4.2), so the upper bits of the PCID
 * count, the lower five do not.
 *
 * perf: packets (it does not know MOV to CR3, and takes the TIP.PGD for the next branch's)
 *
 * expect:
 * cbr *
 * pip 72fe0
 * mode.exec cs.l
 * tip.pge matches
 * tip.pgd
 */
#include "row.h"

    ROW
    movq %cr4, %rax
    orl $1 << 17, %eax
    movq %rax, %cr4
    SET_MSR RTIT_CR3_MATCH, OTHER_TABLES | 0xfe0
    movl $OTHER_TABLES | 0x01f, %ebx
    movl $OTHER_TABLES | 0xfe7, %esi
    movl $OTHER_TABLES | 0xfc7, %edi
    TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    movq %rbx, %cr3
    movq %rsi, %cr3
matches:
    movq %rdi, %cr3
    TRACE_OFF
    movl $TABLES, %eax
    movq %rax, %cr3
    movq %cr4, %rax
    andl $~(1 << 17), %eax
    movq %rax, %cr4
    ROW_END
