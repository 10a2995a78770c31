/*
 * Row 12f: a software interrupt whose handler is in a TraceStop range, FilterEn being 0.
 *
 * expect:
 * cbr *
 * stop
 * report 22
 */
#include "event.inc"

    EVENT_ROW_TRACE_STOP sw_interrupt, CTL_ADDR0_STOP | CTL_ADDR1_FILTER
