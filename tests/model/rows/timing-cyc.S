/*
 * CYC, 36.3.6: before each CYC-eligible packet that is the first of its cycle; FUP and CBR are not eligible. The model's
 * instructions take a cycle each. A TNT packet's is the cycle of its first branch, 36.3.6.2.
 *
 * expect:
 * cbr 23
 * cyc 0
 * mode.exec cs.l
 * tip.pge on
 * cyc 2
 * tip there
 * cyc 23
 * tnt.8 !!.
 * cyc 5
 * pip *
 * cyc 5
 * tip back
 * fup off
 * cyc 4
 * tip.pgd
 */
#include "row.h"

    ROW
    movl $there, %eax
    movl $back, %edx
    movq %cr3, %rdi
    TRACE_ON CTL_DEFAULT | CTL_CYC_EN
    jmp to_there
to_there:
    JUMP_BY_MEMORY there
    NOPS 31
    movl $2, %ecx
    xorl %ebx, %ebx
1:  testl %ebx, %ebx
    jz 2f
    nop
2:  testl %ebx, %ebx
    jz 3f
    nop
3:  cmpl $0, %ecx
    jz 3b
    movq %rdi, %cr3
    NOPS 4
    JUMP_BY_MEMORY back
    TRACE_OFF
    ROW_END
