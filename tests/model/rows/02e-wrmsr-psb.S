/*
 * Row 2e: WRMSR sets TraceEn with PacketByteCnt = 0, and PacketEn: MODE.Exec and TIP.PGE come before PSB+.
 *
 * expect:
 * mode.exec cs.l
 * tip.pge on
 * psb
 * tsc *
 * cbr *
 * pip 70000
 * mode.tsx
 * mode.exec cs.l
 * fup on
 * psbend
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    SET_MSR RTIT_STATUS, 0
    TRACE_ON CTL_DEFAULT | CTL_TSC_EN
    TRACE_OFF
    ROW_END
