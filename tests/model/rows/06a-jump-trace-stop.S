/*
 * 36.4.2.9: a jump into a TraceStop range while FilterEn is 0: only TraceStop. (Rows 6a, 7a and 9a of the table
 * have no TraceStop; 36.2.4.3 and Table "TraceStop Packet Definition" do.)
 *
 * options: profile=icelake
 *
 * expect:
 * cbr *
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, row_start, on
    RANGE 3, target, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | (2 << 44)
    nop
    jmp target
    nop
    STOP_TARGET
end:
    ROW_END
