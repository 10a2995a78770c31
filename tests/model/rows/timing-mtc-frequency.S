/*
 * MTCFreq, Table 36-6: with 3, every eighth tick of the crystal clock, which are 8 * 146 instructions.
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * mtc *
 * mtc *
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_MTC_EN | 3 << 14
    NOPS 2 * 8 * 146 - 4
    TRACE_OFF
    ROW_END
