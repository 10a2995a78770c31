/*
 * Cycle thresholds, 36.3.6.3 and Table 36-14: CycThresh = 5 is 16 cycles; then the next eligible packet has a CYC.
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * tip there
 * cyc 10
 * tip back
 * tip again
 * fup off
 * cyc 1e
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_CYC_EN | 5 << 19
    JUMP_BY_MEMORY there
    NOPS 14
    JUMP_BY_MEMORY back
    NOPS 10
    JUMP_BY_MEMORY again
    NOPS 15
    TRACE_OFF
    ROW_END
