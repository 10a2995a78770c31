/*
 * Row 30f: INIT with PacketEn before and after: FUP with the next IP, PIP of CR3 = 0, the mode and the reset vector. A
 * TraceStop range over the ROM's first 60 KiB, by RIP (36.3.1.1), ends the trace at its first jump.
 *
 * mapped: 0
 * libipt: no truth (it has RIP, the truth linear addresses)
 * perf: packets (16-bit code)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !
 * fup here
 * pip 0
 * mode.exec
 * tip *
 * tip.pgd *
 * stop
 */
#include "row.h"

    ROW
    SET_MSR RTIT_ADDR0_A, 0
    SET_MSR (RTIT_ADDR0_A + 1), 0xefff
    movl $0xfee00300, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    testl %ebx, %ebx
    jnz 1f
1:
    INIT_TO_SELF
    ROW_END
