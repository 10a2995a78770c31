/*
 * Row 33a: MWAIT to C0: nothing.
 *
 * expect:
 * tsc *
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip handler
 * tip resume
 * fup off
 * tip.pgd
 */
#include "mwait.inc"

    MWAIT_ROW 0xf0
