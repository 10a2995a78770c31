/*
 * Row 13f: a fault whose handler is in a TraceStop range, FilterEn being 0.
 *
 * expect:
 * cbr *
 * stop
 * report 22
 */
#include "event.inc"

    EVENT_ROW_TRACE_STOP exception, CTL_ADDR0_STOP | CTL_ADDR1_FILTER
