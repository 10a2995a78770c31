/*
 * The handlers in the IDT before a row sets its own, and the function that calls a row, to which a fault returns.
 */
    .text
    /* One stub of 16 bytes for each of the 32 exceptions: vector above an error code. */
    .globl fault_stubs
    .balign 16
fault_stubs:
    .set vector, 0
    .rept 32
    .balign 16
    .if (0x60227d00 >> vector) & 1 == 0 /* all but #DF, #TS, #NP, #SS, #GP, #PF, #AC, #CP, #VC, #SX */
    pushq $0
    .endif
    pushq $vector
    jmp fault
    .set vector, vector + 1
    .endr

fault:
    cmpq $0, row_fixup
    je 1f
    popq row_fault
    addq $8, %rsp
    pushq %rax
    movq row_fixup, %rax
    movq %rax, 8(%rsp)
    movq $0, row_fixup
    popq %rax
    iretq
1:  xorl %eax, %eax
    xorl %edx, %edx
    movl $0x570, %ecx
    wrmsr
    popq %rdi
    popq %rdx
    popq %rsi
    movl $0x20, %eax
    movl %eax, %ss
    movq row_rsp, %rsp
    call row_died
    jmp row_return

    /* void row_call(void (*row)(void)) */
    .globl row_call
row_call:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, row_rsp
    call *%rdi
row_return:
    cli
    cld
    movq row_rsp, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret

    .bss
    .balign 8
row_rsp:
    .quad 0
    .section .note.GNU-stack, "", @progbits
