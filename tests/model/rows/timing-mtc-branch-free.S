/*
 * MTC, 36.4.2.12: sent each time that the selected bit of the crystal clock toggles, with and without branches. CPUID.15H
 * says 146 ticks of the timestamp counter for one of the crystal; 7 * 146 instructions see 7.
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * mtc *
 * mtc *
 * mtc *
 * mtc *
 * mtc *
 * mtc *
 * mtc *
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_MTC_EN
    NOPS 7 * 146 - 4
    TRACE_OFF
    ROW_END
