/*
 * Row 11c: a hardware interrupt in user mode, only USER set: ContextEn becomes 0, the target is not in the trace.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge user
 * fup user
 * tip.pgd
 */
#include "event.inc"

    EVENT_ROW_USER hw_interrupt, CTL_DEFAULT & ~CTL_OS
