/*
 * Row 33b: MWAIT to a C-state deeper than C0: TSC and CBR when it wakes, here before the packets of the interrupt.
 *
 * expect:
 * tsc *
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tsc *
 * cbr *
 * fup here
 * tip handler
 * tip resume
 * fup off
 * tip.pgd
 */
#include "mwait.inc"

    MWAIT_ROW 0
