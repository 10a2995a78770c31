/*
 * The way into random code and back. These pages, and only these of the guest's own, are mapped in the random code's address
 * space too, at the same addresses, for CPL 0.
 */
#include "random.h"

#include "calls.inc"

    .section .pages.1, "ax"
    .globl random_text_start, random_text_end, random_stubs, random_stubs_end, random_enter, random_syscall, random_sysenter
    .balign 4096
random_text_start:
random_stubs: /* of 16 bytes for each vector */
    .set vector, 0
    .rept 256
    .balign 16
    .if vector == 2
    jmp nmi
    .endif
    PUSH_EVENT vector
    jmp event
    .set vector, vector + 1
    .endr
random_stubs_end:

/* In: an interrupt frame, error code and vector on the stack that the IST names. Out: to random_enter's caller. */
event:
    movq %rax, random_state + STATE_R(0)(%rip)
    movq %rcx, random_state + STATE_R(1)(%rip)
    movq %rdx, random_state + STATE_R(2)(%rip)
    movq %rbx, random_state + STATE_R(3)(%rip)
    movq %rbp, random_state + STATE_R(5)(%rip)
    movq %rsi, random_state + STATE_R(6)(%rip)
    movq %rdi, random_state + STATE_R(7)(%rip)
    movq %r8, random_state + STATE_R(8)(%rip)
    movq %r9, random_state + STATE_R(9)(%rip)
    movq %r10, random_state + STATE_R(10)(%rip)
    movq %r11, random_state + STATE_R(11)(%rip)
    movq %r12, random_state + STATE_R(12)(%rip)
    movq %r13, random_state + STATE_R(13)(%rip)
    movq %r14, random_state + STATE_R(14)(%rip)
    movq %r15, random_state + STATE_R(15)(%rip)
    popq random_state + STATE_VECTOR(%rip)
    popq random_state + STATE_ERROR(%rip)
    .irp offset, 0, 8, 16, 24, 32
    popq random_state + STATE_FRAME + \offset(%rip)
    .endr
    movl %ds, %eax
    movq %rax, random_state + STATE_DS(%rip)
    movl %es, %eax
    movq %rax, random_state + STATE_DS + 8(%rip)
    movl %fs, %eax
    movq %rax, random_state + STATE_DS + 16(%rip)
    movl %gs, %eax
    movq %rax, random_state + STATE_DS + 24(%rip)
    movq %cr2, %rax
    movq %rax, random_state + STATE_CR2(%rip)
    movq %dr6, %rax
    movq %rax, random_state + STATE_DR6(%rip)
    movq own_cr3(%rip), %rax
    movq %rax, %cr3
    movq own_rsp(%rip), %rsp
    movl $DATA, %eax
    movl %eax, %ss
    movl %eax, %ds
    movl %eax, %es
    cld
    POP_KEPT
    ret

/* The watchdog's, mostly. In code of our own it is too early or too late: again. */
nmi:
    pushq %rax
    movq 8(%rsp), %rax
    subq $random_text_start, %rax
    cmpq $random_text_end - random_text_start, %rax
    jb 1f
    movq %cr3, %rax
    cmpq own_cr3(%rip), %rax
    je 1f
    popq %rax
    pushq $0
    pushq $2
    jmp event
1:  movb $0xff, %al
    outb %al, $PIT_COUNTER
    outb %al, $PIT_COUNTER
    popq %rax
    iretq

/* SYSCALL and SYSENTER change no stack, or take one that is not the program's: RIP, RFLAGS and RSP as they are now. */
.macro CALLED vector
    movq %rsp, random_state + STATE_FRAME + 24(%rip)
    leaq random_stack_top(%rip), %rsp
    pushq $0
    pushq random_state + STATE_FRAME + 24(%rip)
    pushfq
    pushq $0
    pushq $0
    pushq $0
    pushq $\vector
    jmp event
.endm

random_syscall:
    CALLED VECTOR_SYSCALL
random_sysenter:
    CALLED VECTOR_SYSENTER

random_enter:
    PUSH_KEPT
    movq %rsp, own_rsp(%rip)
    movq %cr3, %rax
    movq %rax, own_cr3(%rip)
    movq random_state + STATE_CR3(%rip), %rax
    movq %rax, %cr3
    movl random_state + STATE_DS(%rip), %eax
    movl %eax, %ds
    movl random_state + STATE_DS + 8(%rip), %eax
    movl %eax, %es
    movl random_state + STATE_DS + 16(%rip), %eax
    movl %eax, %fs
    movl random_state + STATE_DS + 24(%rip), %eax
    movl %eax, %gs
    movq random_state + STATE_R(0)(%rip), %rax
    movq random_state + STATE_R(1)(%rip), %rcx
    movq random_state + STATE_R(2)(%rip), %rdx
    movq random_state + STATE_R(3)(%rip), %rbx
    movq random_state + STATE_R(5)(%rip), %rbp
    movq random_state + STATE_R(6)(%rip), %rsi
    movq random_state + STATE_R(7)(%rip), %rdi
    movq random_state + STATE_R(8)(%rip), %r8
    movq random_state + STATE_R(9)(%rip), %r9
    movq random_state + STATE_R(10)(%rip), %r10
    movq random_state + STATE_R(11)(%rip), %r11
    movq random_state + STATE_R(12)(%rip), %r12
    movq random_state + STATE_R(13)(%rip), %r13
    movq random_state + STATE_R(14)(%rip), %r14
    movq random_state + STATE_R(15)(%rip), %r15
    leaq random_state + STATE_FRAME(%rip), %rsp
    iretq
    .balign 4096
random_text_end:
    .zero 4096

    .section .pages.2, "aw"
    .globl random_data_start, random_data_end, random_state, random_gdt, random_ldt, random_idt, random_tss, random_stack_top, random_nmi_stack_top
    .balign 4096
random_data_start:
random_idt:
    .zero 4096
random_state:
    .zero 512
random_gdt:
    .zero 8 * NR_GDT
random_ldt:
    .zero 8 * NR_LOCAL
random_tss:
    .zero 128
own_cr3:
    .quad 0
own_rsp:
    .quad 0
    .zero 1024
    .balign 16
random_stack_top:
    .zero 512
random_nmi_stack_top:
    .balign 4096
random_data_end:

    .section .note.GNU-stack, "", @progbits
