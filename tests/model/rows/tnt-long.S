/*
 * Long TNT packets, 36.4.2.1: 47 branches; what fits into a short packet is in a short packet.
 *
 * options: profile=custom, longtnt=1
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * tnt.64 !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!
 * tnt.8 !!.
 * tip there
 * tnt.64 !!!!!!!!!!!!.
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON
    movl $50, %ecx
1:  loop 1b
    JUMP_BY_MEMORY there
    movl $13, %ecx
1:  loop 1b
    TRACE_OFF
    ROW_END
