/*
 * Row 12c: a software interrupt in user mode, only USER set: ContextEn becomes 0, the target is not in the trace.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge user
 * fup here
 * tip.pgd
 */
#include "event.inc"

    EVENT_ROW_USER sw_interrupt, CTL_DEFAULT & ~CTL_OS
