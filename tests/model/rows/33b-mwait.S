/*
 * Row 33b: MWAIT to a C-state deeper than C0: TSC and CBR when it wakes, here before the packets of the interrupt.
 *
 * expect:
 * tsc *
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tsc *
 * cbr *
 * fup here
 * tip handler
 * tip resume
 * fup off
 * tip.pgd
 */
#include "row.h"

#define MTRR_DEF_TYPE 0x2ff

    ROW
    GATE 0x82, handler
    SET_MSR MTRR_DEF_TYPE, 0x806 /* MONITOR works on memory that is write-back */
    movq %cr0, %rax
    movq %rax, %rbx
    andl $~0x60000000, %eax /* CD, NW */
    movq %rax, %cr0
    movq %cr3, %rax
    movq %rax, %cr3
    INTERRUPT_WAITS 0x82
    TRACE_ON CTL_DEFAULT | CTL_TSC_EN
    leaq row_start(%rip), %rax
    xorl %ecx, %ecx
    xorl %edx, %edx
    monitor
    xorl %eax, %eax
    movl $1, %ecx /* an interrupt ends it though IF is 0 */
    mwait
    sti
    nop
here:
resume:
    cli
    TRACE_OFF
    movq %rbx, %cr0
    SET_MSR MTRR_DEF_TYPE, 0
    END_OF_INTERRUPT
    ret
handler:
    iretq
    ROW_END
