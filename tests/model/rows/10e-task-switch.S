/*
 * Row 10e for a task switch, by a far jump to a TSS in 32-bit protected mode: PIP, as CR3 is updated. Then an
 * exception through a task gate (row 13e), and IRET back from the nested task.
 *
 * code32: compatibility back
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge on
 * pip 74000
 * tip task
 * fup faults
 * pip 73000
 * tip handler
 * pip 74000
 * tip resume
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    movq %rsp, saved_rsp
    /* Two page directories of 4 MiB pages, identity. */
    movl $0x73000, %edi
    movl $0x83, %eax
1:  movl %eax, (%rdi)
    movl %eax, 0x1000(%rdi)
    addl $4, %edi
    addl $0x400000, %eax
    jnc 1b
    movq gdt + 0x28(%rip), %rax
    movq %rax, saved_gdt
    movq gdt + 0x30(%rip), %rax
    movq %rax, saved_gdt + 8
    movl $tss_a, %eax
    movw %ax, descriptors + 2
    movl $tss_b, %eax
    movw %ax, descriptors + 10
    movq descriptors(%rip), %rax
    movq %rax, gdt + 0x28
    movq descriptors + 8(%rip), %rax
    movq %rax, gdt + 0x30
    ljmp *to_compatibility
    .code32
compatibility:
    movl $0x10, %eax
    movl %eax, %ss
    movl %eax, %ds
    movl %eax, %es
    movl $0x6c000, %esp
    movl %cr0, %eax
    andl $0x7fffffff, %eax
    movl %eax, %cr0
    movl $0xc0000080, %ecx
    rdmsr
    andl $~0x100, %eax
    wrmsr
    movl %cr4, %eax
    andl $~0x20, %eax
    orl $0x10, %eax
    movl %eax, %cr4
    movl $0x73000, %eax
    movl %eax, %cr3
    movl %cr0, %eax
    orl $0x80000000, %eax
    movl %eax, %cr0
    lidt idt_pointer
    movl $0x28, %eax
    ltr %ax
    movl $CTL_DEFAULT, %eax
    xorl %edx, %edx
    movl $RTIT_CTL, %ecx
    wrmsr
on:
    ljmp $0x30, $0
handler: /* where the first task goes on: the second one's TSS says where that does */
    movl $resume, tss_b + 0x20
    iret
task:
    nop
faults:
    ud2
resume:
    xorl %eax, %eax
    xorl %edx, %edx
    movl $RTIT_CTL, %ecx
off:
    wrmsr
    movl %cr0, %eax
    andl $0x7fffffff, %eax
    movl %eax, %cr0
    movl %cr4, %eax
    andl $~0x10, %eax
    orl $0x20, %eax
    movl %eax, %cr4
    movl $TABLES, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80000000, %eax
    movl %eax, %cr0
    ljmp $CODE64, $back
    .code64
back:
    movl $DATA64, %eax
    movl %eax, %ss
    movl %eax, %ds
    movl %eax, %es
    movq saved_rsp, %rsp
    movq saved_gdt, %rax
    movq %rax, gdt + 0x28
    movq saved_gdt + 8, %rax
    movq %rax, gdt + 0x30
    movb $0x89, gdt + 0x4d /* the 64-bit TSS is not busy any more */
    movw $0x48, %ax
    ltr %ax
    ret
    .data
    .balign 8
descriptors: /* 32-bit TSSs, available; the image, and so they, lie in the 64 KiB from 10000H on */
    .word 0x67, 0
    .byte 1, 0x89, 0, 0
    .word 0x67, 0
    .byte 1, 0x89, 0, 0
saved_gdt:
    .quad 0, 0
saved_rsp:
    .quad 0
to_compatibility:
    .long compatibility
    .word CODE32
idt_pointer:
    .word 7 * 8 - 1
    .long task_idt
    .balign 8
task_idt: /* #UD: a task gate to the first task */
    .fill 6, 8, 0
    .quad 0x0000850000280000
    .balign 16
tss_a:
    .fill 7, 4, 0
    .long 0x73000 /* CR3 */
    .fill 18, 4, 0
tss_b:
    .fill 7, 4, 0
    .long 0x74000, task, 2
    .fill 4, 4, 0
    .long 0x6b000
    .fill 3, 4, 0
    .long 0x10, CODE32, 0x10, 0x10, 0, 0
    .fill 2, 4, 0
    .text
    ROW_END
