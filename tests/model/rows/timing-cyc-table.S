/*
 * Table 36-14: the same eight instructions, at cycles x to x + 71, with thresholds of 16, 32 and 64 cycles (CycThresh 5,
 * 6, 7).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on16
 * cyc *
 * tip a16
 * tip b16
 * tip c16
 * cyc 1e
 * tip d16
 * pip *
 * cyc 10
 * tip e16
 * cyc 12
 * tip f16
 * tip g16
 * fup off16
 * tip.pgd
 * cbr *
 * mode.exec cs.l
 * tip.pge on32
 * cyc *
 * tip a32
 * tip b32
 * tip c32
 * tip d32
 * cyc 26
 * pip *
 * tip e32
 * tip f32
 * cyc 21
 * tip g32
 * fup off32
 * tip.pgd
 * cbr *
 * mode.exec cs.l
 * tip.pge on64
 * cyc *
 * tip a64
 * tip b64
 * tip c64
 * tip d64
 * pip *
 * tip e64
 * cyc 40
 * tip f64
 * tip g64
 * fup off64
 * tip.pgd
 */
#include "row.h"

.macro JUMP label, nops
    JUMP_BY_MEMORY \label
    NOPS \nops
.endm

.macro SNAPSHOT n, code
    TRACE_ON_AT on\n, CTL_DEFAULT | CTL_CYC_EN | \code << 19
    NOPS 70
    JUMP a\n, 8
    JUMP b\n, 5
    JUMP c\n, 14
    JUMP d\n, 7
    movq %rdi, %cr3
    NOPS 7
    JUMP e\n, 17
    JUMP f\n, 6
    JUMP g\n, 0
    TRACE_OFF off\n
.endm

    ROW
    movq %cr3, %rdi
    SNAPSHOT 16, 5
    SNAPSHOT 32, 6
    SNAPSHOT 64, 7
    ROW_END
