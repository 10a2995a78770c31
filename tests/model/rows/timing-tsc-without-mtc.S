/*
 * TMA depends on MTCEn: a TSC packet alone, row 2d.
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
