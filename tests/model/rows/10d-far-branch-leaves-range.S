/*
 * Row 10d: far branches that clear FilterEn; row 10b: that set it; row 10f: neither (nothing), and into a
 * TraceStop range (only TraceStop).
 *
 * code32: inside end
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd outside
 * mode.exec cs.d
 * tip.pge inside
 * tip.pgd outside_again
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    RANGE 1, stop, stop_end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER | CTL_ADDR1_STOP
    ljmp *pointer
    .code32
inside:
    ljmp $CODE64, $outside_again
end:
    .code64
outside:
    ljmp *pointer2
outside2:
    ljmp *pointer_inside
outside_again:
    ljmp *pointer_stop
stop:
    REPORT_STATUS
    TRACE_OFF
    ret
stop_end:
    .data
    .balign 8
pointer:
    .long outside
    .word CODE64
    .balign 8
pointer2:
    .long outside2
    .word CODE64
    .balign 8
pointer_inside:
    .long inside
    .word CODE32
    .balign 8
pointer_stop:
    .long stop
    .word CODE64
    .text
    ROW_END
