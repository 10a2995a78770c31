/*
 * WRMSR sets TraceEn in a TraceStop range with PacketByteCnt = 0 (row 2b): PSB+, then TraceStop.
 *
 * expect:
 * psb
 * cbr *
 * pip 70000
 * mode.tsx
 * psbend
 * stop
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    SET_MSR RTIT_STATUS, 0
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    TRACE_OFF
end:
    ROW_END
