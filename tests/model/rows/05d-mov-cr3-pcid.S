/*
 * Row 5d with CR4.PCIDE: PIP has CR3[51:12], but not the PCID (36.4.2.7); it has CR3[11:5] with PAE paging only.
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
    PCIDS_ON
    movl $OTHER_TABLES | 0x01f, %ebx
    movl $OTHER_TABLES | 0xfe7, %esi
    TRACE_ON
    movq %rbx, %cr3
    movq %rsi, %cr3
    TRACE_OFF
    PCIDS_OFF
    ROW_END
