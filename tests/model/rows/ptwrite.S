/*
 * PTWRITE, 36.4.2.21: four or eight bytes of payload, from a register or memory; BranchEn is not needed.
 *
 * options: profile=icelake
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * ptw 0: 12345678
 * tnt.8 !.
 * ptw 1: 123456789abcdef0
 * ptw 0: 9abcdef0
 * fup off
 * tip.pgd
 * cbr 23
 * ptw 1: 77
 * cbr 23
 */
#include "row.h"

    ROW
    movl $0x12345678, %ebx
    TRACE_ON CTL_DEFAULT | 1 << 12
    ptwritel %ebx
    movl $2, %ecx
1:  loop 1b
    ptwriteq value
    ptwritel value
    TRACE_OFF
    movl $0x77, %ebx
    TRACE_ON_AT on_again, CTL_TRACE_EN | CTL_OS | CTL_TOPA | 1 << 12
    ptwriteq %rbx
    TRACE_OFF off_again
    TRACE_ON_AT on_out_of_context, CTL_TRACE_EN | CTL_USER | CTL_TOPA | 1 << 12
    ptwriteq %rbx
    TRACE_OFF off_out_of_context
    ROW_END
    .data
    .balign 8
value:
    .quad 0x123456789abcdef0
