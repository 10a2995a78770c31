/*
 * Row 30c: INIT that sets FilterEn: PIP, MODE.Exec, TIP.PGE. A TraceStop range over the ROM's first 60 KiB, by
 * RIP (36.3.1.1), ends the trace at its first jump.
 *
 * mapped: 0
 * libipt: no truth (it has RIP, the truth linear addresses)
 * perf: packets (16-bit code)
 *
 * expect:
 * cbr *
 * pip 0
 * mode.exec
 * tip.pge *
 * tip.pgd *
 * stop
 */
#include "row.h"

    ROW
    SET_MSR RTIT_ADDR0_A, 0xfff0
    SET_MSR (RTIT_ADDR0_A + 1), 0xffff
    SET_MSR (RTIT_ADDR0_A + 2), 0
    SET_MSR (RTIT_ADDR0_A + 3), 0xefff
    movl $0xfee00300, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | CTL_ADDR1_STOP
    nop
    INIT_TO_SELF
    ROW_END
