/*
 * Row 2a: WRMSR sets TraceEn with PacketByteCnt > 0, and PacketEn stays 0. Row 3a: it clears TraceEn.
 *
 * expect:
 * tsc *
 * cbr *
 */
#include "row.h"

    ROW
    TRACE_ON (CTL_DEFAULT | CTL_TSC_EN) & ~CTL_OS
    TRACE_OFF
    ROW_END
