/*
 * Row 3b: WRMSR that clears TraceEn while PacketEn is 1. And row 2d: WRMSR that sets it, PacketByteCnt > 0.
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON
    TRACE_OFF
    ROW_END
