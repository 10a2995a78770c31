/*
 * Internal buffer overflow, 36.3.8: what comes until it resolves is lost, also the branches in the TNT buffer; then OVF,
 * and FUP with the IP at which tracing continues. The overflow begins where the sixth branch fills that buffer, and lasts
 * for three. No IP and no RET is compressed against what was lost.
 *
 * options: profile=skylake, ovf=33:3
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * ovf
 * fup resumed
 * tnt.8 !.
 * tip returned
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON
    call function
returned:
    TRACE_OFF
    ret
function:
    movl $8, %ecx
1:  loop 1b
resumed:
    movl $2, %ecx
1:  loop 1b
    ROW_END
