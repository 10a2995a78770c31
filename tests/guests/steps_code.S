/* What steps.c has done: under TF, with breakpoints, and with interrupts between. */

#define DATA 0x18
#define CODE32 0x08
#define CODE64 0x10

    .text
    .globl steps_with
steps_with:
    pushq %rbx
    pushfq
    pushfq
    orq %rsi, (%rsp)
    popfq
    call *%rdi
    popfq
    popq %rbx
    ret

/* --- under TF, or not --- */

    .globl story_near, story_strings, story_flags, story_shadows, story_events, story_far, story_compatibility
    .globl story_exits, story_halt, story_system_calls, story_watched, story_work, story_repeat, story_wait
    .globl story_refused
story_near:
    xorl %eax, %eax
    movl $3, %ecx
1:  incl %eax
    loop 1b
    jrcxz 2f
    nop
2:  call 4f
    leaq 3f(%rip), %rdx
    jmp *%rdx
    nop
3:  leaq 4f(%rip), %rdx
    call *%rdx
    cmpl $3, %eax
    jne 5f
    je 5f
4:  ret
5:  pushq %rax
    leaq 6f(%rip), %rdx
    pushq %rdx
    ret $8
6:  ret

story_strings:
    leaq scratch(%rip), %rdi
    leaq 64(%rdi), %rsi
    movl $5, %ecx
    rep movsb
    movl $4, %ecx
    movb $1, %al
    repne scasb
    movl $3, %ecx
    rep stosq
    xorl %ecx, %ecx
    rep movsb
    ret

story_flags:
    pushfq
    popq %rax
    orq %rax, steps_seen_flags(%rip)
    pushfq
    popfq
    sti
    nop
    cli
    stc
    lahf
    ret

story_shadows:
    movl $DATA, %eax
    movl %eax, %ss
    nop
    movl %eax, %ss
    jmp 1f
    nop
1:  movl %eax, %ss
    int $0x80
    movl %eax, %ss
    pushfq
    popq %rdx
    movl %eax, %ss
    movl %eax, %ss
    nop
    sti
    movl %eax, %ss
    cli
    ret

story_events:
    int $0x80
    int3
    .byte 0xf1 /* INT1 */
    ud2
    movq $1, %rax
    shlq $40, %rax
    movl (%rax), %eax
    xorl %ecx, %ecx
    divl %ecx
    ret

story_far:
    ljmp *to_code64(%rip)
    nop
far_landed:
    lcall *to_lret(%rip)
    ljmp *to_nowhere(%rip)
    lcall *to_nowhere(%rip)
    movl %ss, %eax
    pushq %rax
    leaq 8(%rsp), %rdx
    pushq %rdx
    pushfq
    pushq $CODE64
    leaq 2f(%rip), %rdx
    pushq %rdx
    iretq
    nop
2:  ret
far_called:
    lretl

story_compatibility:
    pushq $CODE32
    leaq 1f(%rip), %rdx
    pushq %rdx
    lretq
    .code32
1:  movl $0x7fffffff, %eax
    into
    incl %eax
    into
    call 2f
    pushfl
    popl %eax
    ljmp $CODE64, $3f
2:  ret
    .code64
3:  ret

story_exits:
    pushq %rbx
    xorl %eax, %eax
    xorl %ecx, %ecx
    cpuid
    movl $0x1b, %ecx
    rdmsr
    rdtscp
    rdtsc
    movw $0xcf8, %dx
    inl %dx, %eax
    movl $DATA, %eax
    movl %eax, %ss
    cpuid
    movq %cr3, %rax
    movq %rax, %cr3
    movq %cr4, %rax
    movq %rax, %cr4
    popq %rbx
    ret

/* Exits after which the instruction is executed again, or its exception delivered. Also in ring 3. */
story_refused:
    vmcall
    vmxoff
    movl $-1, %ecx
    xsetbv
    movb $0xc3, fresh_page      /* RET, in a page that was executed, or will be */
    call fresh_page
    ret

story_halt:
    hlt
    ret

story_system_calls: /* at ring 0: the way back is not SYSRET */
    movl $2, %eax
    syscall
    nop
    leaq 1f(%rip), %rcx
    movq %rsp, %rdx
    movl $2, %eax
    sysenter
    nop
1:  ret

story_watched:
    movl $1, steps_watched(%rip)
    nop
    .globl steps_breakpoint
steps_breakpoint:
    nop
    leaq steps_watched - 2(%rip), %rdi
    movl $8, %ecx
    xorl %eax, %eax
    rep stosb
    mov steps_ss(%rip), %ss
    nop
    mov steps_ss(%rip), %ss
    int $0x80
    mov steps_ss(%rip), %ss
    jmp steps_breakpoint_2
    nop
steps_breakpoint_2:
    mov steps_ss(%rip), %ss
    .byte 0xf1
    movl $2, %eax
    mov steps_ss(%rip), %ss
    syscall
    mov steps_ss(%rip), %ss
    cpuid
    ret

story_work:
    pushq %rbx
    movl $40, %ecx
    xorl %eax, %eax
1:  testl $1, %ecx
    jz 2f
    addl %ecx, %eax
2:  call 3f
    pushfq
    popq %rdx
    loop 1b
    popq %rbx
    ret
3:  ret

story_repeat: /* for longer than the timer takes */
    leaq scratch(%rip), %rsi
    leaq 64(%rsi), %rdi
    movl $1000, %ecx
    cld
    rep movsb
    ret

story_wait: /* until the next interrupt, or for a reason of the processor's own */
    leaq scratch(%rip), %rax
    xorl %ecx, %ecx
    xorl %edx, %edx
    monitor
    xorl %eax, %eax
    mwait
    ret

    .data
    .balign 8
to_code64:
    .long far_landed
    .word CODE64
    .balign 8
to_lret:
    .long far_called
    .word CODE64
    .balign 8
to_nowhere:
    .long 0x1000
    .word 0x1230
    .globl steps_ss, steps_watched
    .balign 16
steps_ss:
    .long DATA
    .balign 16
    .quad 0
steps_watched:
    .long 0, 0
    .quad 0

    .bss
    .balign 16
    .globl steps_seen_flags
steps_seen_flags:
    .quad 0
scratch:
    .zero 2048

    .section .noinit, "aw", @nobits
    .balign 4096
fresh_page:
    .zero 4096

    .section .note.GNU-stack, "", @progbits
