/*
 * Row 13e for a trap: the single-step #DB comes after its instruction, FUP has the next IP (Table "FUP Cases and
 * IP Payload").
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup stepped
 * tip handler
 * tip stepped
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 1, handler
    TRACE_ON
    pushq $0x102
    popfq
    nop
stepped:
    nop
    TRACE_OFF
    ret
handler:
    andl $~0x100, 16(%rsp)
    iretq
    ROW_END
