/*
 * WRMSR sets TraceEn where the next instruction is in a TraceStop range: PacketEn stays 0 (row 2a), and TraceStop
 * follows (36.4.2.9).
 *
 * expect:
 * cbr *
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    nop
end:
    REPORT_STATUS
    TRACE_OFF
    ROW_END
