/*
 * Row 12e for INT3, INT1 and INT n: FUP has the address of the instruction (Table "FUP Cases and IP Payload").
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup first
 * tip handler
 * tip second
 * fup second
 * tip handler
 * tip third
 * fup third
 * tip handler
 * tip done
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 1, handler
    GATE 3, handler
    GATE 0x82, handler
    TRACE_ON
first:
    int3
second:
    .byte 0xf1 /* INT1 */
third:
    int $0x82
done:
    TRACE_OFF
    ret
handler:
    iretq
    ROW_END
