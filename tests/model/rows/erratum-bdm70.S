/*
 * Erratum BDM70, "PSB+ Packets May Contain Unexpected Packets": before a TIP.PGE, a PSB+ with FUP and MODE.Exec.
 *
 * options: profile=skylake, errata=bdm70
 *
 * expect:
 * psb
 * cbr 23
 * pip *
 * mode.tsx
 * mode.exec cs.l
 * fup on
 * psbend
 * mode.exec cs.l
 * tip.pge on
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    SET_MSR RTIT_STATUS, 0
    TRACE_ON
    TRACE_OFF
    ROW_END
