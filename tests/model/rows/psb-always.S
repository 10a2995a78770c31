/*
 * Where PacketByteCnt does not count (CPUID.14H:EBX[1] = 0), each enabling has a PSB+ (Table 36-11).
 *
 * options: profile=broadwell
 *
 * expect:
 * mode.exec cs.l
 * tip.pge on
 * psb
 * cbr *
 * pip *
 * mode.tsx
 * mode.exec cs.l
 * fup on
 * psbend
 * fup off
 * tip.pgd
 * mode.exec cs.l
 * tip.pge on_again
 * psb
 * cbr *
 * pip *
 * mode.tsx
 * mode.exec cs.l
 * fup on_again
 * psbend
 * fup off_again
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON
    TRACE_OFF
    TRACE_ON_AT on_again, CTL_DEFAULT
    TRACE_OFF off_again
    ROW_END
