/*
 * The first instructions of every micro-guest, and the header that makes it a bzImage.
 *
 * In: 32-bit protected mode, paging off, flat segments, interrupts off, ESI = boot_params (Linux boot protocol,
 * "32-bit Boot Protocol"), loaded at pref_address. Out: guest_main(boot_params) in 64-bit mode, ring 0, on the stack
 * below, with the first 4 GiB mapped one to one, also for ring 3; SS, DS and ES flat. Does not return.
 */
#include "boot.inc"

    BOOT_HEADER guest_syssize, 255, guest_base, guest_init_size

    /* --- 32-bit entry --- */
    .section .entry, "ax"
    .code32
    .globl start32
start32:
    cld
    movl $bss_start, %edi
    movl $bss_end, %ecx
    subl %edi, %ecx
    shrl $2, %ecx
    xorl %eax, %eax
    rep stosl                   /* a step each where the guest is stepped */
    movl $stack_top, %esp

    /* Four page directories of 2 MiB pages: present, writable, user. The last GiB is devices: uncached. */
    xorl %ecx, %ecx
    movl $0x87, %eax
1:  cmpl $0x600, %ecx
    jne 2f
    orl $0x18, %eax
2:  movl %eax, directories(, %ecx, 8)
    movl $0, directories + 4(, %ecx, 8) /* nothing has cleared them */
    addl $0x200000, %eax
    incl %ecx
    cmpl $0x800, %ecx
    jne 1b

    movl $directories + 7, %eax
    xorl %ecx, %ecx
3:  movl %eax, pointers(, %ecx, 8)
    addl $0x1000, %eax
    incl %ecx
    cmpl $4, %ecx
    jne 3b
    movl $pointers + 7, root

    ENTER_64_BIT_MODE 0x101     /* LME, SCE */
    leaq tss(%rip), %rax        /* its descriptor has the address in pieces */
    movw %ax, gdt + 0x32(%rip)
    shrl $16, %eax
    movb %al, gdt + 0x34(%rip)
    movb %ah, gdt + 0x37(%rip)
    movl $0x30, %eax
    ltr %ax
    movl %esi, %edi
    call guest_main
    call machine_power_off
4:  cli
    hlt
    jmp 4b

    .data
    .balign 16
gdt:
    .quad 0
    .quad 0x00cf9b000000ffff    /* 08: 32-bit code */
    .quad 0x00af9b000000ffff    /* 10: 64-bit code */
    .quad 0x00cf93000000ffff    /* 18: data */
    .quad 0x00cff3000000ffff    /* 20: ring 3 data; SYSRET needs it before the code */
    .quad 0x00affb000000ffff    /* 28: ring 3 64-bit code */
    .quad 0x0000890000000067, 0 /* 30: TSS */
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .quad gdt

    .balign 16
tss:
    .long 0
    .quad interrupt_stack_top   /* RSP0 */
    .zero 88
    .word 0, 104

    .bss
    .balign 4096
root:
    .zero 4096
pointers:
    .zero 4096

    .section .noinit, "aw", @nobits
    .balign 4096
directories:
    .zero 4 * 4096
    .zero 16384
stack_top:
    .zero 8192
interrupt_stack_top:

    .section .note.GNU-stack, "", @progbits
