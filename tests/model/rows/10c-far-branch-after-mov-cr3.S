/*
 * Row 10c after row 5d: IRET causes a TIP.PGD without IP, after a MOV to CR3 that has a PIP of its own.
 *
 * libipt: packets (it ends at the MOV to CR3)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000
 * tip.pgd
 * tip.pge back
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 0x81, back
    movl $OTHER_TABLES, %ebx
    TRACE_ON CTL_DEFAULT & ~CTL_USER
    movq %rbx, %cr3
    jmp 1f
    nop
1:  IRET_TO USER_CODE64, USER_DATA, user
user:
    int $0x81
    USER_END back
    ROW_END
