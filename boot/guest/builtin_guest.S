/*
 * The built-in guest, a kernel inside our image. In: as in Linux's 32-bit boot protocol, ESI = boot_params; loaded at
 * any page-aligned address, with BUILTIN_MEMORY_BYTES of memory. Out: a word written to the port in BUILTIN_PARAMETERS.
 * Interrupts stay off, so that each branch can be predicted: boot/guest/builtin_guest.h has their addresses.
 */
#include "base/control.h"
#include "base/msr_numbers.h"
#include "boot/guest/builtin_guest.h"

#define BP_SCRATCH 0x1e4
#define IDT 0x1000
#define TABLE 0x2000 /* four functions */
#define GDT 0x2040
#define GDT_POINTER 0x2060
#define IDT_POINTER 0x2070
#define STACK 0x8000
#define ROOT_A 0x8000
#define ROOT_B 0x9000
#define POINTERS 0xa000
#define DIRECTORIES 0xb000
#define AT(offset) .org BUILTIN_SETUP_BYTES + offset, 0x90

/* A bzImage's header: Linux, Documentation/arch/x86/boot.rst, "The Real-Mode Kernel Header". */
    .section .init.table, "a"
    .balign 16
    .globl builtin_guest, builtin_guest_end
    .hidden builtin_guest, builtin_guest_end
builtin_guest:
    .org 0x1f1
    .byte BUILTIN_SETUP_BYTES / 512 - 1
    .org 0x1f4
    .long BUILTIN_CODE_BYTES / 16
    .org 0x1fe
    .word 0xaa55
    .org 0x202
    .ascii "HdrS"
    .word 0x20c
    .org 0x20e
    .word .Lname - builtin_guest - 0x200
    .org 0x211
    .byte 1 /* LOADED_HIGH */
    .org 0x22c
    .long 0x7fffffff /* initrd_addr_max */
    .long 0x1000 /* kernel_alignment */
    .byte 1 /* relocatable_kernel */
    .org 0x238
    .long 255 /* cmdline_size */
    .org 0x258
    .quad 0x1000000 /* pref_address */
    .long BUILTIN_MEMORY_BYTES
    .org 0x280
.Lname:
    .asciz BUILTIN_NAME
    .org BUILTIN_SETUP_BYTES
.Lguest:
    .code32
    cld
    leal (BP_SCRATCH + 4)(%esi), %esp
    AT(BUILTIN_FIRST)
    call 1f
1:  popl %ebp
    subl $(BUILTIN_FIRST_TO), %ebp
    leal STACK(%ebp), %esp
    leal IDT(%ebp), %edi
    movl $((BUILTIN_MEMORY_BYTES - BUILTIN_CODE_BYTES) / 4), %ecx
    xorl %eax, %eax
    rep stosl
    leal DIRECTORIES(%ebp), %edi
    movl $0x83, %eax /* present, writable, 2 MiB */
    AT(BUILTIN_FILL_TO)
    movl %eax, (%edi, %ecx, 8)
    addl $0x200000, %eax
    incl %ecx
    cmpl $(BUILTIN_FILLS), %ecx
    AT(BUILTIN_FILL)
    jne .Lguest + BUILTIN_FILL_TO
    leal (DIRECTORIES + 3)(%ebp), %eax
    movl %eax, POINTERS(%ebp)
    addl $0x1000, %eax
    movl %eax, (POINTERS + 8)(%ebp)
    addl $0x1000, %eax
    movl %eax, (POINTERS + 16)(%ebp)
    addl $0x1000, %eax
    movl %eax, (POINTERS + 24)(%ebp)
    leal (POINTERS + 3)(%ebp), %eax
    movl %eax, ROOT_A(%ebp)
    movl %eax, ROOT_B(%ebp)
    movl $0x0000ffff, (GDT + 8)(%ebp)
    movl $0x00af9b00, (GDT + 12)(%ebp) /* 08: 64-bit code */
    movl $0x0000ffff, (GDT + 16)(%ebp)
    movl $0x00cf9300, (GDT + 20)(%ebp) /* 10: data */
    movw $23, GDT_POINTER(%ebp)
    leal GDT(%ebp), %eax
    movl %eax, (GDT_POINTER + 2)(%ebp)
    lgdt GDT_POINTER(%ebp)
    movl %cr4, %eax
    orl $CR4_PAE, %eax
    movl %eax, %cr4
    leal ROOT_A(%ebp), %eax
    movl %eax, %cr3
    movl $IA32_EFER, %ecx
    rdmsr
    orl $EFER_LME, %eax
    wrmsr
    movl %cr0, %eax
    orl $CR0_PG, %eax
    movl %eax, %cr0
    pushl $8
    leal BUILTIN_LONG(%ebp), %eax
    pushl %eax
    AT(BUILTIN_ENTER)
    lretl

    .code64
    .macro gate vector, handler
    leaq .Lguest + \handler(%rip), %rax
    movl %eax, %edx
    andl $0xffff, %eax
    orl $0x80000, %eax
    andl $0xffff0000, %edx
    orl $0x8e00, %edx
    movl %eax, (IDT + 16 * \vector)(%rbp)
    movl %edx, (IDT + 16 * \vector + 4)(%rbp)
    .endm
    .macro entry number, function
    leaq .Lguest + \function(%rip), %rax
    movq %rax, (TABLE + 8 * \number)(%rbp)
    .endm
    AT(BUILTIN_LONG)
    movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    movl %ebp, %ebp
    leaq STACK(%rbp), %rsp
    gate 6, BUILTIN_ON_UD2
    gate 0x80, BUILTIN_INT_IRET
    movw $0xfff, IDT_POINTER(%rbp)
    leaq IDT(%rbp), %rax
    movq %rax, (IDT_POINTER + 2)(%rbp)
    lidt IDT_POINTER(%rbp)
    entry 0, BUILTIN_PLAIN
    entry 1, BUILTIN_IF
    entry 2, BUILTIN_NESTS
    entry 3, BUILTIN_TAIL
    leaq ROOT_B(%rbp), %r14 /* loaded next */
    leaq ROOT_A(%rbp), %r15
    movl $(BUILTIN_SEED), %r12d
    movl BUILTIN_PARAMETERS(%rbp), %r13d
    AT(BUILTIN_ROUND_TO)
    movl $(BUILTIN_ITERATIONS), %ebx
    AT(BUILTIN_ITERATION_TO)
    movl %r12d, %eax
    shll $13, %eax
    xorl %eax, %r12d
    movl %r12d, %eax
    shrl $17, %eax
    xorl %eax, %r12d
    movl %r12d, %eax
    shll $5, %eax
    xorl %eax, %r12d
    testl $1, %r12d
    AT(BUILTIN_ODD)
    jnz .Lguest + BUILTIN_ODD_TO
    AT(BUILTIN_ODD_TO)
    testl $0x70, %r12d
    AT(BUILTIN_HIGH)
    jz .Lguest + BUILTIN_HIGH_TO
    AT(BUILTIN_HIGH_TO)
    movl %r12d, %eax
    shrl $8, %eax
    andl $3, %eax
    leaq TABLE(%rbp), %rdx
    AT(BUILTIN_CALL)
    callq *(%rdx, %rax, 8)
    AT(BUILTIN_CALL_NEXT)
    decl %ebx
    AT(BUILTIN_AGAIN)
    jnz .Lguest + BUILTIN_ITERATION_TO
    movl %r12d, %ecx
    andl $(BUILTIN_DEPTH_MASK), %ecx
    AT(BUILTIN_DEEP)
    callq .Lguest + BUILTIN_RECURSE
    AT(BUILTIN_UD2)
    ud2
    AT(BUILTIN_INT)
    int $0x80
    xorl %eax, %eax
    cpuid
    movq %r14, %cr3
    xchgq %r14, %r15
    decl %r13d
    AT(BUILTIN_ROUND)
    jnz .Lguest + BUILTIN_ROUND_TO
    AT(BUILTIN_END)
    movzwl (BUILTIN_PARAMETERS + 4)(%rbp), %edx
    movzwl (BUILTIN_PARAMETERS + 6)(%rbp), %eax
    outw %ax, %dx
    AT(BUILTIN_IDLE_TO)
    cli
    hlt
    AT(BUILTIN_IDLE)
    jmp .Lguest + BUILTIN_IDLE_TO

    AT(BUILTIN_PLAIN)
    ret
    AT(BUILTIN_IF)
    testl $0x1000, %r12d
    AT(BUILTIN_IF_JZ)
    jz .Lguest + BUILTIN_IF_RET
    AT(BUILTIN_IF_RET)
    ret
    AT(BUILTIN_NESTS)
    callq .Lguest + BUILTIN_PLAIN
    ret
    AT(BUILTIN_TAIL)
    movq TABLE(%rbp), %rax
    AT(BUILTIN_TAIL_JMP)
    jmpq *%rax
    AT(BUILTIN_RECURSE)
    decl %ecx
    AT(BUILTIN_RECURSE_JS)
    js .Lguest + BUILTIN_RECURSE_RET
    AT(BUILTIN_RECURSE_CALL)
    callq .Lguest + BUILTIN_RECURSE
    ret
    AT(BUILTIN_ON_UD2)
    addq $2, (%rsp)
    AT(BUILTIN_UD2_IRET)
    iretq
    AT(BUILTIN_INT_IRET)
    iretq
    AT(BUILTIN_PARAMETERS)
    .long 0
    .word 0, 0
    .org BUILTIN_SETUP_BYTES + BUILTIN_CODE_BYTES
builtin_guest_end:

    .section .note.GNU-stack, "", @progbits
