/*
 * The TSC and CBR packets of a halt that ends in an overflow are lost like others (36.3.8.2).
 *
 * options: profile=skylake, ovf=41:3
 *
 * expect:
 * tsc *
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * ovf
 * fup resumed
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 0x80, handler
    INTERRUPT_WAITS 0x80
    TRACE_ON CTL_DEFAULT | CTL_TSC_EN
    JUMP_BY_MEMORY lost
    sti
    hlt
resumed:
    cli
    TRACE_OFF
    ret
    INTERRUPT_HANDLER handler
    ROW_END
