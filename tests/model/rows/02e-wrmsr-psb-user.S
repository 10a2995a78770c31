/*
 * Row 2e with OS = 0: PSB+ in user mode has no PIP.
 *
 * expect:
 * psb
 * cbr *
 * psbend
 * mode.exec cs.l
 * tip.pge user
 * fup user
 * tip.pgd
 */
#include "row.h"

    ROW
    KEEP_STACK
    GATE 0x81, back
    SET_MSR RTIT_STATUS, 0
    TRACE_ON CTL_DEFAULT & ~CTL_OS
    IRET_TO USER_CODE64, USER_DATA, user
user:
    int $0x81
    USER_END back
    ROW_END
