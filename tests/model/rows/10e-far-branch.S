/*
 * Row 10e: far jump, far call, far return, IRETQ with PacketEn before and after; the TNT first.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip target
 * tip function
 * tnt.8 !
 * tip returned
 * tip end_of_iret
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    TRACE_ON
    ljmp *pointer
target:
    lcall *call_pointer
returned:
    movq %rsp, %rax
    pushq $DATA64
    pushq %rax
    pushq $2
    pushq $CODE64
    pushq $end_of_iret
    iretq
end_of_iret:
    TRACE_OFF
    ret
function:
    testl %esp, %esp
    jnz 1f
1:  lretl
    FAR_POINTER pointer, target
    FAR_POINTER call_pointer, function
    ROW_END
