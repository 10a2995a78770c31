/*
 * The code before a kernel that is unpacked already (tests/rig/unpacked.sh): the header that makes it a bzImage, and the switch
 * to 64-bit mode for its 64-bit entry.
 *
 * In: 32-bit protected mode, paging off, flat segments, interrupts off, ESI = boot_params (Linux boot protocol, "32-bit Boot
 * Protocol"), loaded at pref_address. Out: as in "64-bit Boot Protocol" to the kernel, which begins KERNEL bytes after this:
 * RSI = boot_params, the first 4 GiB mapped one to one.
 */
#include "../../guests/boot.inc"

#define LOADED 0x1000000 /* pref_address */
#define KERNEL 0x200000  /* offset of the kernel: start.ld, and what `pack` puts there */

    BOOT_HEADER 0, 2047, LOADED, 0 /* pack.c fills in syssize and init_size, and adds KASLR_FLAG to loadflags */

    .section .start, "awx"
    .code32
    .globl start32
start32:
    cld
    /* Four page directories of 2 MiB pages, present and writable. */
    movl $directories, %edi
    movl $0x83, %eax
1:  movl %eax, (%edi)
    movl $0, 4(%edi)
    addl $8, %edi
    addl $0x200000, %eax
    jnc 1b

    ENTER_64_BIT_MODE 0x100     /* LME */
    movl %esi, %esi
    movl $LOADED + KERNEL, %eax
    jmpq *%rax

    .balign 16
gdt:
    .quad 0, 0
    .quad 0x00af9b000000ffff    /* 10: 64-bit code */
    .quad 0x00cf93000000ffff    /* 18: data */
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .quad gdt

    .balign 4096
root:
    .quad pointers + 3
    .balign 4096
pointers:
    .quad directories + 3, directories + 0x1003, directories + 0x2003, directories + 0x3003
    .balign 4096
directories:
    .zero 4 * 4096

    .section .note.GNU-stack, "", @progbits
