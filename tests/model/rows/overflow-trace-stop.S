/*
 * TraceStop while packets are lost is not lost (36.2.4.3): the overflow ends before it.
 *
 * options: profile=skylake, ovf=33:100
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * ovf
 * stop
 * report 22
 */
#include "row.h"

    ROW
    RANGE 0, target, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_STOP
    leaq 1f(%rip), %rax
    jmp *%rax
1:  leaq 2f(%rip), %rax
    jmp *%rax
2:  jmp target
    nop
    STOP_TARGET
    ret
end:
    ROW_END
