/*
 * Row 10b: MODE.Exec where the mode has changed while PacketEn was 0.
 *
 * code32: user32 in_between
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge user32
 * fup leaves32
 * tip.pgd
 * mode.exec cs.l
 * tip.pge user64
 * fup leaves64
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 0x80, in_between
    GATE 0x81, back
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    IRET_TO USER_CODE32, USER_DATA, user32
    .code32
user32:
    nop
leaves32:
    int $0x80
    .code64
in_between:
    IRET_TO USER_CODE64, USER_DATA, user64, second_iret
user64:
    nop
leaves64:
    int $0x81
back:
    BACK_TO_STACK
    TRACE_OFF
    ROW_END
