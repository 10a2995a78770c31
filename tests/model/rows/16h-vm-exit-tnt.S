/*
 * Rows 16h and 17i: the TNT buffer is written first.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tnt.8 !
 * pip 72000, nr
 * tip guest
 * tnt.8 .
 * fup exits
 * pip 70000
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    xorl %ebx, %ebx
    TRACE_ON
    testl %ebx, %ebx
    jz 1f
1:  vmlaunch
host:
    HOST_END
guest:
    testl %ebx, %ebx
    jnz guest
exits:
    vmcall
    ROW_END
