/*
 * FUPonPTW, 36.4.2.21: a FUP with the address of the PTWRITE follows its packet.
 *
 * options: profile=icelake
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * ptw 1: 5, ip
 * fup here
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    movl $5, %ebx
    TRACE_ON CTL_DEFAULT | 1 << 12 | 1 << 5
    nop
here:
    ptwriteq %rbx
    TRACE_OFF
    ROW_END
