/*
 * Row 9c: indirect jump and call and an uncompressed return that clear FilterEn: TIP.PGD with the target.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd out1
 * tip.pge in1
 * tip.pgd out2
 * tip.pge in2
 * tip.pgd out3
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    leaq out1(%rip), %rax
    jmp *%rax
in1:
    leaq out2(%rip), %rax
    call *%rax
in2:
    leaq out3(%rip), %rax
    pushq %rax
    ret
end:
out1:
    jmp in1
out2:
    popq %rcx
    jmp in2
out3:
    TRACE_OFF
    ROW_END
