/*
 * Row 12b: a software interrupt in user mode, only OS set: ContextEn becomes 1.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 * tip.pge handler
 * fup off
 * tip.pgd
 */
#include "event.inc"

    EVENT_ROW_USER sw_interrupt, CTL_DEFAULT & ~CTL_USER
