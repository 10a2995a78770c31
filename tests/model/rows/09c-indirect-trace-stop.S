/*
 * Row 9c: an indirect jump into a TraceStop range.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd target
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, target, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    leaq target(%rip), %rax
    jmp *%rax
    nop
    STOP_TARGET
end:
    ROW_END
