/*
 * Row 13d: a fault whose handler is in a TraceStop range.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip.pgd handler
 * stop
 * report 22
 */
#include "event.inc"

    EVENT_ROW_TRACE_STOP exception, CTL_ADDR0_STOP
