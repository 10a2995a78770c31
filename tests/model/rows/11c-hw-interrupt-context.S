/*
 * Row 11c: a hardware interrupt in user mode, USER alone: ContextEn goes to 0, the target is not told.
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
