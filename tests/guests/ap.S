/*
 * Where an application processor begins: from a SIPI to C, for the guests and for the model's ROMs. Copied to a page
 * below 1 MiB; ap.h fills in the parameters that follow it.
 *
 * In: real-address mode, CS:IP = page:0, as INIT and SIPI leave it. Out: ap_params.entry(argument) in 64-bit mode, on the
 * stack, with the control registers, GDT and IDT of the processor that prepared the page. Does not return.
 */
#define AT(symbol) symbol - ap_begin

    .text
    .globl ap_begin, ap_params, ap_end
    .code16
ap_begin:
    cli
    movw %cs, %ax
    movw %ax, %ds
    movw $3, %cx                /* near branches of each kind, in a segment with a base */
1:  testb $1, %cl
    jz 2f
    nop
2:  loop 1b
    jmp 3f
    nop
3:  lgdtl AT(gdt)
    movl AT(cr3), %eax
    movl %eax, %cr3
    movl AT(cr4), %eax
    movl %eax, %cr4
    movl $0xc0000080, %ecx      /* IA32_EFER */
    movl AT(efer), %eax
    xorl %edx, %edx
    wrmsr
    movl AT(cr0), %eax
    movl %eax, %cr0
    ljmpl *AT(far)

    .code64
    .globl ap_64
ap_64:
    movw data(%rip), %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    lidt idt(%rip)
    movq stack(%rip), %rsp
    movq argument(%rip), %rdi
    xorl %ebp, %ebp
    call *entry(%rip)
1:  cli
    hlt
    jmp 1b

    .balign 8
ap_params:                      /* struct ap_params of ap.h */
entry:
    .quad 0
argument:
    .quad 0
stack:
    .quad 0
cr0:
    .long 0
cr3:
    .long 0
cr4:
    .long 0
efer:
    .long 0
far:
    .long 0
    .word 0
data:
    .word 0
gdt:
    .word 0
    .quad 0
idt:
    .word 0
    .quad 0
ap_end:

    .section .note.GNU-stack, "", @progbits
