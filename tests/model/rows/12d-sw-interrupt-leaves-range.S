/*
 * Row 12d: a software interrupt that clears FilterEn; row 12b: one that sets it; row 12f: one that does neither.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip.pgd outside_handler
 * tip.pge resume
 * tip.pgd outside
 * tip.pge inside_handler
 * tip.pgd resume2
 */
#include "event.inc"

    EVENT_ROW_LEAVES_RANGE sw_interrupt
