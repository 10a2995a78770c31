/*
 * An overflow that begins between a CYC packet and the packet that it was for, which is lost. OVF falls into the same
 * cycle, which has one CYC packet only (36.3.6).
 *
 * options: profile=skylake, ovf=35:1
 *
 * expect:
 * cbr *
 * cyc 0
 * mode.exec cs.l
 * tip.pge on
 * cyc 1
 * ovf
 * fup there
 * cyc 5
 * tip back
 * fup off
 * cyc *
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_CYC_EN
    JUMP_BY_MEMORY there
    NOPS 4
    JUMP_BY_MEMORY back
    TRACE_OFF
    ROW_END
