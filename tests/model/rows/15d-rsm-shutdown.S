/*
 * Row 15d: RSM with TraceEn 1 causes a shutdown, which an NMI ends; then the clock runs again (CBR). Nothing is executed
 * between RSM and the NMI, which the interval timer causes through the I/O APIC.
 *
 * libipt: packets (an RSM into shutdown has no packet)
 * perf: packets (16-bit code)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip.pgd
 * cbr *
 * mode.exec
 * tip.pge *
 * cbr *
 * fup here
 * mode.exec cs.l
 * tip nmi
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 2, nmi
    movl $handler, %esi /* at the address of reset */
    movl $0x38000, %edi
    movl $handler_end - handler, %ecx
    rep movsb
    SMI_BY_PORT
    movl $0xfec00000, %ebx
    movl $0x15, (%rbx) /* pin 2: NMI, to APIC 0 */
    movl $0, 0x10(%rbx)
    movl $0x14, (%rbx)
    movl $0x400, 0x10(%rbx)
    movb $0x30, %al /* once, after 1000H of 1.19 MHz */
    outb %al, $0x43
    movb $0, %al
    outb %al, $0x40
    movb $0x10, %al
    outb %al, $0x40
    TRACE_ON
    outb %al, $0xb2
here:
    jmp 1f
1:  testl %esp, %esp
    jnz 1b
nmi:
    TRACE_OFF
    movl $0xfec00000, %ebx
    movl $0x14, (%rbx)
    movl $0x10000, 0x10(%rbx)
    movq $done, (%rsp)
    iretq
done:
    ret
    .code16
handler:
    movl $RTIT_CTL, %ecx
    movl $CTL_DEFAULT, %eax
    xorl %edx, %edx
    wrmsr
    rsm
handler_end:
    .code64
    ROW_END
