/*
 * Row 2d: WRMSR sets TraceEn with PacketByteCnt > 0, and PacketEn. Row 3b: WRMSR clears TraceEn.
 *
 * expect:
 * tsc *
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON CTL_DEFAULT | CTL_TSC_EN
    TRACE_OFF
    ROW_END
