/*
 * Row 11d: a hardware interrupt whose handler is in a TraceStop range.
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

    EVENT_ROW_TRACE_STOP hw_interrupt, CTL_ADDR0_STOP
