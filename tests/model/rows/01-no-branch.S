/*
 * Rows 1a, 1b: instructions that do not branch write nothing, whatever PacketEn is.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 * cbr *
 */
#include "row.h"

    ROW
    TRACE_ON
    nop
    movl $1, %ebx
    addl %ebx, %ebx
    TRACE_OFF
    TRACE_ON_AT again, CTL_DEFAULT & ~CTL_OS
    nop
    addl %ebx, %ebx
    TRACE_OFF again_off
    ROW_END
