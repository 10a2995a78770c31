/*
 * Row 2b: WRMSR sets TraceEn with PacketByteCnt = 0, and PacketEn stays 0: PSB+ without what needs ContextEn.
 *
 * expect:
 * psb
 * tsc *
 * cbr *
 * psbend
 */
#include "row.h"

    ROW
    SET_MSR RTIT_STATUS, 0
    TRACE_ON (CTL_DEFAULT | CTL_TSC_EN) & ~CTL_OS
    TRACE_OFF
    ROW_END
