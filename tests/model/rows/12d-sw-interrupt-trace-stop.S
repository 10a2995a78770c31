/*
 * Row 12d: a software interrupt whose handler is in a TraceStop range.
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

    EVENT_ROW_TRACE_STOP sw_interrupt, CTL_ADDR0_STOP
