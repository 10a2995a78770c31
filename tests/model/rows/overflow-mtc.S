/*
 * MTC packets that are due in an overflow are lost; those after it come at their time (36.3.8.2).
 *
 * options: profile=skylake, ovf=33:2, seed=2
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * ovf
 * fup there
 * mtc *
 * mtc *
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_MTC_EN
    JUMP_BY_MEMORY lost
    NOPS 3 * 146 + 20
    JUMP_BY_MEMORY there
    NOPS 2 * 146
    TRACE_OFF
    ROW_END
