/*
 * Row 12e for INTO, which there is outside 64-bit mode; here MODE.Exec both ways.
 *
 * code32: compatibility compatibility_end
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * mode.exec cs.d
 * tip compatibility
 * fup here
 * mode.exec cs.l
 * tip handler
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 4, handler
    TRACE_ON
    pushq $CODE32
    pushq $compatibility
    lretq
    .code32
compatibility:
    movb $0x7f, %al
    addb $1, %al
here:
    into
compatibility_end:
    .code64
handler:
    addq $40, %rsp
    TRACE_OFF
    ROW_END
