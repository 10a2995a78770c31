/* From 64-bit mode into 32-bit protected mode, where tasks are, and back. */
#include "tasks.h"

#include "calls.inc"

#define CR0_PG 0x80000000
#define CR0_CACHES_OFF 0x60000000
#define CR0_WP 0x10000
#define CR4_PAGING 0x30 /* PSE, PAE */
#define EFER 0xc0000080
#define EFER_LME 0x100

    .text
    .code64
    .globl task_run, task_end
task_run:
    PUSH_KEPT
    pushfq
    movq %rsp, saved_rsp
    movq %cr3, %rax
    movq %rax, saved_cr3
    sgdt saved_gdt
    sidt saved_idt
    lgdt task_gdt
    lidt task_idt
    movl %edi, %ebx
    ljmp *to_code32
    .code32
in_code32:
    movl $DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl %eax, %fs
    movl %eax, %gs
    movl $stacks32 + STACK_BYTES, %esp
    movl %cr0, %eax
    andl $~(CR0_PG + CR0_CACHES_OFF), %eax /* as one boot loader leaves them, and another does not */
    movl %eax, %cr0
    movl %edx, %edi
    movl $EFER, %ecx
    rdmsr
    andl $~EFER_LME, %eax
    wrmsr
    movl %cr4, %eax
    andl $~CR4_PAGING, %eax
    orl %edi, %eax
    movl %eax, %cr4
    movl %esi, %cr3
    movl %cr0, %eax
    orl $CR0_PG + CR0_WP, %eax /* WP: the processor's own writes obey */
    movl %eax, %cr0
    xorl %eax, %eax
    lldt %ax
    movl $TSS_MAIN, %eax
    ltr %ax
    pushl $2
    popf
    movl $0x404, %eax /* L1: nothing is there */
    movl %eax, %dr7
    movl $0xffff0ff0, %eax
    movl %eax, %dr6
    clts
    movl $0x11111111, %ecx
    movl $0x22222222, %ebp
    jmp *%ebx

task_end:
    cli
    movl $DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl %eax, %fs
    movl %eax, %gs
    movl $stacks32 + STACK_BYTES, %esp
    pushl $2
    popf
    movl $TSS_END, %eax /* a 16-bit TSS may not be there in 64-bit mode */
    ltr %ax
    movl $0x400, %eax
    movl %eax, %dr7
    clts
    movl %cr0, %eax
    andl $~(CR0_PG + CR0_WP), %eax
    movl %eax, %cr0
    movl %cr4, %eax
    andl $~CR4_PAGING, %eax
    orl $0x20, %eax
    movl %eax, %cr4
    movl saved_cr3, %eax
    movl %eax, %cr3
    movl $EFER, %ecx
    rdmsr
    orl $EFER_LME, %eax
    wrmsr
    movl %cr0, %eax
    orl $CR0_PG, %eax
    movl %eax, %cr0
    lgdt saved_gdt
    lidt saved_idt
    ljmp $CODE64, $in_code64
    .code64
in_code64:
    movl $DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movq saved_rsp, %rsp
    popfq
    POP_KEPT
    ret

    .data
    .balign 8
to_code32:
    .long in_code32
    .word CODE32

    .bss
    .balign 8
saved_rsp:
    .quad 0
saved_cr3:
    .quad 0
saved_gdt:
    .zero 10
    .balign 8
saved_idt:
    .zero 10

    .section .note.GNU-stack, "", @progbits
