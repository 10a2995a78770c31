/* Of events.c: the entries of its handlers, and what its stories execute. */
#define CODE32 0x08
#define CODE64 0x10
#define STUB_BYTES 16
#define NR_STUBS 34

#include "calls.inc"

    .text

    /* Vectors 0 to NR_STUBS - 1; an error code of 0 where the processor pushes none. */
    .macro STUB vector
    .balign STUB_BYTES
    PUSH_EVENT \vector
    jmp common
    .endm

    .globl events_stubs
    .balign STUB_BYTES
events_stubs:
    .set number, 0
    .rept NR_STUBS
    STUB number
    .set number, number + 1
    .endr

common:
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rbx
    pushq %rbp
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    cld
    leaq 88(%rsp), %rdi         /* struct event_frame */
    movq %rsp, %rbx
    andq $-16, %rsp
    call events_seen
    movq %rbx, %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rbp
    popq %rbx
    popq %rdx
    popq %rcx
    popq %rax
    addq $16, %rsp
    cmpb $0, events_takes_stack
    je 1f
    movb $0, events_takes_stack
    movq $0, events_stack_entry /* IRET finds its stack absent */
    invlpg (%rsp)
1:  iretq

    /* events_run(story): call it; a double fault returns here as well. */
    .globl events_run, events_recover, events_rsp
events_run:
    PUSH_KEPT
    movq %rsp, events_rsp
    call *%rdi
events_recover:
    movq events_rsp, %rsp
    POP_KEPT
    ret

    .globl events_undefined, events_divide, events_protection, events_step, events_int1, events_int3, events_into
    .globl events_int
events_undefined:
    ud2
    ret
events_divide:
    xorl %edx, %edx
    xorl %ecx, %ecx
    divl %ecx
    ret
events_protection:
    movl $0x1000, %eax
    movw %ax, %gs               /* beyond the GDT */
    ret
events_step:
    pushfq
    orq $0x100, (%rsp)
    popfq
    nop                         /* a trap after it */
    nop
    ret
events_int1:
    .byte 0xf1
    ret
events_int3:
    int3
    ret
events_int:
    int $33
    ret
events_into:                    /* there is none in 64-bit mode */
    pushq $CODE32
    leaq 1f(%rip), %rdx
    pushq %rdx
    lretq
    .code32
1:  movl $0x7fffffff, %eax
    incl %eax
    into
    ljmp $CODE64, $2f
    .code64
2:  ret

    .bss
    .balign 8
events_rsp:
    .zero 8
    .globl events_takes_stack
events_takes_stack:
    .zero 8

    .section .note.GNU-stack, "", @progbits
