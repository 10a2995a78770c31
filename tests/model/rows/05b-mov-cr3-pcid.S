/*
 * Rows 5b and 5c with CR4.PCIDE: the CR3 filter compares CR3[63:12] (36.2.4.2), in which no PCID is, nor in a PIP
 * (36.4.2.7).
 *
 * perf: packets (it does not know MOV to CR3, and takes the TIP.PGD for the next branch's)
 *
 * expect:
 * cbr *
 * pip 72000
 * mode.exec cs.l
 * tip.pge matches
 * pip 72000
 * tip.pgd
 */
#include "row.h"

    ROW
    PCIDS_ON
    SET_MSR RTIT_CR3_MATCH, OTHER_TABLES | 0xfe0
    movl $OTHER_TABLES | 0x01f, %ebx
    movl $OTHER_TABLES | 0xfe7, %esi
    movl $TABLES | 0xfe0, %edi
    TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    movq %rbx, %cr3
matches:
    movq %rsi, %cr3
    movq %rdi, %cr3
    TRACE_OFF
    PCIDS_OFF
    ROW_END
