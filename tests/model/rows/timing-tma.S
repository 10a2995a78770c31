/*
 * TMA, 36.4.2.13: directly after every TSC packet where MTCEn is set; row 2d.
 *
 * expect:
 * tsc *
 * tma *
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_MTC_EN | CTL_TSC_EN | 9 << 14
    TRACE_OFF
    ROW_END
