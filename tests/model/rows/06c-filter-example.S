/*
 * Rows 6c, 8 and 6b: the example of 36.2.4.3, Table "IP Filtering Packet Example".
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge range_base
 * tnt.8 .
 * tip.pgd range_limit_1
 */
#include "row.h"

    ROW
    RANGE 0, range_base, range_limit_1
    xorl %ebx, %ebx
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    jmp range_base
range_base:
    testl %ebx, %ebx
    jnz foo
    addl $1, %ebx
foo:
    jmp range_limit_1
    nop
range_limit_1:
    TRACE_OFF
    ROW_END
