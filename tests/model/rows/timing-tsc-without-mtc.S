/*
 * TMA depends on MTCEn: without it, a TSC packet has no TMA, row 2d.
 *
 * expect:
 * tsc *
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_TSC_EN
    TRACE_OFF
    ROW_END
