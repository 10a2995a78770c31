/*
 * BranchEn = 0: no packet for branches nor for PacketEn (36.2.5.1), but PIP and TraceStop.
 *
 * expect:
 * cbr *
 * pip 72000
 * stop
 */
#include "row.h"

    ROW
    RANGE 0, target, end
    movl $OTHER_TABLES, %ebx
    TRACE_ON (CTL_DEFAULT & ~CTL_BRANCH_EN) | CTL_ADDR0_STOP
    movq %rbx, %cr3
    call 1f
1:  popq %rax
    jmp target
target:
    TRACE_OFF
end:
    ROW_END
