/*
 * Row 13c: a fault in user mode, USER alone: ContextEn goes to 0, the target is not told.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge user
 * fup here
 * tip.pgd
 */
#include "event.inc"

    EVENT_ROW_USER exception, CTL_DEFAULT & ~CTL_OS
