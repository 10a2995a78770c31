/* What steps.c has done in ring 3, and handlers at special addresses. */

#define DATA 0x18

    .text
/* --- ring 3 --- */

    .globl steps_user, steps_syscall_entry, steps_sysenter_entry, story_user, story_user_refused
steps_user:
    pushq %rbx
    pushq %rbp
    movq %rsp, kernel_rsp(%rip)
    pushq $0x23
    leaq user_stack_top(%rip), %rdx
    pushq %rdx
    pushq %rdi
    pushq $0x2b
    pushq %rsi
    iretq

story_user:
    nop
    movl $1, %eax
    syscall
    nop
    movq %rsp, %rdx
    leaq 2f(%rip), %rcx
    movl $1, %eax
    sysenter
    nop
2:  int $0x80
    pushfq
    popfq
    call 3f
    xorl %eax, %eax
    syscall
3:  ret

story_user_refused:
    call story_refused
    pushfq
    andq $~0x100, (%rsp)
    popfq
    xorl %eax, %eax
    syscall

steps_syscall_entry:
    incq steps_syscalls(%rip)
    decl %eax
    js 1f
    jnz 2f
    sysretq
1:  movq kernel_rsp(%rip), %rsp
    pushq $2
    popfq
    movl $DATA, %eax
    movl %eax, %ss
    popq %rbp
    popq %rbx
    ret
2:  pushq %r11
    popfq
    jmp *%rcx

steps_sysenter_entry:
    incq steps_sysenters(%rip)
    movq %rdx, %rsp
    movl $0x302, %r11d
    decl %eax
    jnz 1f
    sysretq
1:  jmp *%rcx

/* --- a handler that is the next instruction, and one for two vectors --- */

    .globl story_next, steps_next, story_common, steps_common
story_next:
    movq %rsp, %rdx
    ud2
steps_next:
    movq %rdx, %rsp
    ret

story_common:
    sti
    int $0x81
    cli
    ret

steps_common:
    incq steps_commons(%rip)
    pushq %rax
    movl $0xfee000b0, %eax
    movl $0, (%rax)
    popq %rax
    iretq

    .bss
    .balign 16
    .globl steps_syscalls, steps_sysenters, steps_commons, steps_sysenter_stack
steps_syscalls:
    .quad 0
steps_sysenters:
    .quad 0
steps_commons:
    .quad 0
kernel_rsp:
    .quad 0
    .zero 1024
user_stack_top:
    .quad 0
    .zero 1024
steps_sysenter_stack:
    .quad 0

    .section .note.GNU-stack, "", @progbits
