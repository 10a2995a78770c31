/*
 * A 64 KiB ROM in place of the BIOS: from the reset vector to 64-bit code in RAM, then test_main (test.c). The image is
 * linked at IMAGE and copies itself there from address ROM.
 */
#define ROM 0xf0000
#define IMAGE 0x10000
#define TABLES 0x70000
#define STACK 0x6f000
#define IN_ROM(symbol) ((symbol) - IMAGE + ROM)

    .section .text.first, "ax"
    .globl image_start
image_start:
    .code16
start16:
    cli
    movw $0xf000, %ax
    movw %ax, %ds
    lgdtl gdt_pointer_rom - IMAGE
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $0x08, $IN_ROM(start32)

    .code32
start32:
    movw $0x10, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movl $STACK, %esp
    cld
    movl $ROM, %esi
    movl $IMAGE, %edi
    movl $0x4000, %ecx
    rep movsl

    /* Four 1 GiB pages: identity, user-accessible. */
    movl $TABLES, %edi
    xorl %eax, %eax
    movl $0x800, %ecx
    rep stosl
    movl $TABLES + 0x1007, TABLES
    movl $0x00000087, TABLES + 0x1000
    movl $0x40000087, TABLES + 0x1008
    movl $0x80000087, TABLES + 0x1010
    movl $0xc0000087, TABLES + 0x1018
    movl $TABLES, %eax
    movl %eax, %cr3
    movl %cr4, %eax
    orl $0x620, %eax /* PAE, OSFXSR, OSXMMEXCPT */
    movl %eax, %cr4
    movl $0xc0000080, %ecx
    rdmsr
    orl $0x101, %eax /* LME, SCE */
    wrmsr
    movl %cr0, %eax
    orl $0x80000000, %eax
    movl %eax, %cr0
    lgdt gdt_pointer
    ljmp $0x18, $start64

    .code64
start64:
    movl $0x20, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movq $STACK, %rsp
    movw $0x48, %ax
    ltr %ax
    call test_main
1:  hlt
    jmp 1b

    /* 08 code32, 10 data, 18 code64, 20 data, 28 user code32 (SYSRET), 30 user data, 38 user code64, 48 TSS */
    .balign 16
    .globl gdt
gdt:
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff, 0x00cf93000000ffff
    .quad 0x00cffb000000ffff, 0x00cff3000000ffff, 0x00affb000000ffff, 0
    .word 0x67, tss - image_start /* the image is at 10000H, so that is the low half of its address */
    .byte IMAGE >> 16, 0x89, 0, 0
    .quad 0
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .quad gdt
gdt_pointer_rom:
    .word gdt_end - gdt - 1
    .long IN_ROM(gdt)
    .balign 16
    .globl tss
tss:
    .long 0
    .quad 0x6e000 /* RSP0 */
    .zero 88
    .word 0, 0x68

    /* Entry points of the IDT. Every handler returns; the breakpoint, fault and vector-80H handlers advance as they
     * must. */
    .text
    .globl isr_ud, isr_plain, isr_user_exit, isr_nmi, isr_timer
isr_ud: /* #UD at UD2: skip it */
    addq $2, (%rsp)
    iretq
isr_plain:
    iretq
isr_timer:
    pushq %rax
    incl timer_ticks
    movl $0xfee000b0, %eax
    movl $0, (%rax)
    popq %rax
    iretq
isr_nmi:
    pushq %rax
    pushq %rcx
    pushq %rdx
    incl nmis
    movl $0x390, %ecx
    xorl %eax, %eax
    movl $1 << 23, %edx
    wrmsr
    movl $0xfee00340, %eax
    movl $0x400, (%rax)
    popq %rdx
    popq %rcx
    popq %rax
    iretq
isr_user_exit: /* int $0x81 in user mode: back to the caller of user_enter */
    movl $0x20, %eax
    movl %eax, %ss
    movq user_return_rsp, %rsp
    popq %rbp
    popq %rbx
    ret

    /* void user_enter(uint64_t rip, uint64_t cs): run user code until it says int $0x81 */
    .globl user_enter
user_enter:
    pushq %rbx
    pushq %rbp
    movq %rsp, user_return_rsp
    pushq $0x33
    pushq $0x6d000
    pushfq
    pushq %rsi
    pushq %rdi
    iretq

    .globl user_code64, user_code32, syscall_entry
syscall_entry:
    cmpq $5, %rax
    je 1f
    nop
1:  sysretq
user_code64:
    xorl %eax, %eax
1:  incl %eax
    cmpl $4, %eax
    jne 1b
    movl $5, %eax
    syscall
    movl $6, %eax
    syscall
    ud2
    int $0x80
    int3
    int $0x81
    .code32
code32_start: /* perf has to know where 32-bit code is (tests/system/model/model_perf.sh) */
user_code32:
    movl $3, %ecx
1:  call 2f
    loop 1b
    jecxz 3f
    nop
3:  ud2
    int $0x80
    int $0x81
2:  ret

    .code32
far_code32: /* compatibility mode in ring 0, entered and left by far jumps */
    movl $2, %ecx
1:  nop
    loop 1b
    call 2f
    ljmp $0x18, $far_back64
2:  ret
code32_end:
    .code64
    /* void far_round(void): far jump, far call, far return */
    .globl far_round
far_round:
    ljmpl *far_pointer32
far_back64:
    lcall *far_pointer64
    ret
far_target64:
    lretl
    .data
    .balign 8
far_pointer32:
    .long far_code32
    .word 0x08
    .balign 8
far_pointer64:
    .long far_target64
    .word 0x18
    .balign 8
    .globl timer_ticks, nmis
user_return_rsp:
    .quad 0
timer_ticks:
    .long 0
nmis:
    .long 0

    .section .reset, "ax"
    .code16
    ljmp $0xf000, $(start16 - IMAGE)
    .byte 0x90
    .balign 16, 0

    .section .note.GNU-stack, "", @progbits
