/*
 * OVF has a CYC packet before it, below the threshold too, which counts the overflow's cycles; the counter starts again
 * there (36.3.8.2, Table 36-35). CycThresh = 5: 16 cycles.
 *
 * options: profile=skylake, ovf=33:2
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * cyc a
 * ovf
 * fup there
 * tip back
 * cyc 10
 * tip again
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_CYC_EN | 5 << 19
    JUMP_BY_MEMORY lost
    NOPS 8
    JUMP_BY_MEMORY there
    NOPS 7
    JUMP_BY_MEMORY back
    NOPS 7
    JUMP_BY_MEMORY again
    TRACE_OFF
    ROW_END
