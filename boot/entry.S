/*
 * From GRUB to C.
 *
 * In (Multiboot2 specification, "I386 machine state"; the same from BIOS and from UEFI firmware, whose boot services
 * are over): 32-bit protected mode, flat segments, paging off, interrupts off, EAX = magic, EBX = physical address of
 * the information. No stack. The image lies at any page-aligned address below 4 GiB.
 *
 * Out: 64-bit mode at the linked address, on the scratch stack, in boot_main(EDI = magic, ESI = information,
 * RDX = physical address of the image). Mapped: the lower 4 GiB at 0 and at DIRECT_MAP_BASE, the image at IMAGE_BASE,
 * all of it writable and executable until boot/memory/paging.c's tables are loaded.
 *
 * Not saved: anything.
 */
#include "boot/long_mode.h"
#include "base/msr_numbers.h"
#include "base/phys.h"

#define MB2_HEADER_MAGIC 0xe85250d6
#define MB2_HEADER_ARCHITECTURE_I386 0

#define PAGE_PRESENT_WRITE 0x3
#define PAGE_LARGE 0x80

/* Layout of scratch_tables, one page each. */
#define SCRATCH_PML4 0x0000
#define SCRATCH_PDPT 0x1000
#define SCRATCH_PD 0x2000 /* four: the lower 4 GiB */
#define SCRATCH_IMAGE_PD 0x6000
#define SCRATCH_IMAGE_PT 0x7000
#define SCRATCH_TABLES_SIZE 0x8000

#define PML4_INDEX(va) (((va) >> 39) & 511)
#define PDPT_INDEX(va) (((va) >> 30) & 511)

    .section .multiboot2, "a"
    .balign 8
mb2_header:
    .long MB2_HEADER_MAGIC
    .long MB2_HEADER_ARCHITECTURE_I386
    .long mb2_header_end - mb2_header
    .long -(MB2_HEADER_MAGIC + MB2_HEADER_ARCHITECTURE_I386 + (mb2_header_end - mb2_header))

    /* Information request, required. */
    .balign 8
1:  .short 1, 0
    .long 2f - 1b
    .long 1, 3, 6 /* command line, modules, memory map */
2:
    /* Information request, optional: framebuffer, EFI system table, ACPI RSDP old and new, EFI memory map. */
    .balign 8
1:  .short 1, 1
    .long 2f - 1b
    .long 8, 12, 14, 15, 17
2:
    /* Entry address. */
    .balign 8
    .short 3, 0
    .long 12
    .long entry_load_address

    /* Framebuffer, optional, of any size: UEFI has no text mode, and without this tag GRUB passes no framebuffer. */
    .balign 8
    .short 5, 1
    .long 20
    .long 0, 0, 0

    /* Modules page-aligned. */
    .balign 8
    .short 6, 0
    .long 8

    /* Relocatable: lowest address from, highest end, alignment, preference "lowest". */
    .balign 8
    .short 10, 0
    .long 24
    .long 0x100000, 0xffffffff, 4096, 1

    .balign 8
    .short 0, 0
    .long 8
mb2_header_end:

    .section .boot32, "ax"
    .code32
    .globl boot_entry
boot_entry:
    cld
    movl %eax, %edi
    movl %ebx, %esi

    /* Find the load address by a CALL. Its stack is the information's reserved word, the only memory that is known to
     * be writable so far. */
    leal 8(%ebx), %esp
    call 1f
1:  popl %ebp
    subl $(1b - boot_entry), %ebp
    addl $(header_load_address), %ebp
    subl $(entry_load_address), %ebp /* EBP = physical address of image_start */
    leal scratch_stack_offset(%ebp), %esp

    call require_long_mode
    call scratch_tables_build

    /* SDM Vol. 3A, "Initializing IA-32e Mode". */
    movl $(CR4_PAE), %eax
    movl %eax, %cr4
    leal (scratch_tables_offset + SCRATCH_PML4)(%ebp), %eax
    movl %eax, %cr3
    movl $(IA32_EFER), %ecx
    rdmsr
    orl $(EFER_LME | EFER_NXE), %eax
    wrmsr
    movl $CR0_LONG_MODE, %eax
    movl %eax, %cr0

    leal (scratch_gdt - boot_entry + entry_load_address)(%ebp), %eax
    subl $(header_load_address), %eax
    pushl $0 /* base's upper half: LGDT in 32-bit mode reads six bytes */
    pushl %eax
    pushw $(scratch_gdt_end - scratch_gdt - 1)
    lgdt (%esp)
    addl $10, %esp
    pushl $8
    leal (enter_64 - scratch_gdt)(%eax), %eax
    pushl %eax
    lretl

/* Build the page tables described at the top, for the image at EBP. Clobbers EAX, EBX, ECX, EDX. */
scratch_tables_build:
    pushl %edi
    leal scratch_tables_offset(%ebp), %edi
    movl %edi, %ebx
    xorl %eax, %eax
    movl $(SCRATCH_TABLES_SIZE / 4), %ecx
    rep stosl

    leal (SCRATCH_PDPT + PAGE_PRESENT_WRITE)(%ebx), %eax
    movl %eax, (SCRATCH_PML4)(%ebx)
    movl %eax, (SCRATCH_PML4 + 8 * PML4_INDEX(DIRECT_MAP_BASE))(%ebx)
    movl %eax, (SCRATCH_PML4 + 8 * PML4_INDEX(IMAGE_BASE))(%ebx)
    leal (SCRATCH_IMAGE_PD + PAGE_PRESENT_WRITE)(%ebx), %eax
    movl %eax, (SCRATCH_PDPT + 8 * PDPT_INDEX(IMAGE_BASE))(%ebx)
    leal (SCRATCH_IMAGE_PT + PAGE_PRESENT_WRITE)(%ebx), %eax
    movl %eax, (SCRATCH_IMAGE_PD)(%ebx)

    leal (SCRATCH_PD + PAGE_PRESENT_WRITE)(%ebx), %eax
    xorl %ecx, %ecx
1:  movl %eax, (SCRATCH_PDPT)(%ebx, %ecx, 8)
    addl $0x1000, %eax
    incl %ecx
    cmpl $4, %ecx
    jne 1b

    movl $(PAGE_PRESENT_WRITE | PAGE_LARGE), %eax
    xorl %ecx, %ecx
1:  movl %eax, (SCRATCH_PD)(%ebx, %ecx, 8)
    addl $0x200000, %eax
    incl %ecx
    cmpl $2048, %ecx
    jne 1b

    leal PAGE_PRESENT_WRITE(%ebp), %eax
    xorl %ecx, %ecx
1:  movl %eax, (SCRATCH_IMAGE_PT)(%ebx, %ecx, 8)
    addl $0x1000, %eax
    incl %ecx
    cmpl $512, %ecx
    jne 1b
    popl %edi
    ret

/* Return if the CPU has 64-bit mode and execute-disable; else write a message to COM1 and park. Keeps EDI, ESI, EBP. */
require_long_mode:
    movl $0x80000000, %eax
    cpuid
    cmpl $0x80000001, %eax
    jb 1f
    movl $0x80000001, %eax
    cpuid
    andl $(1 << 29 | 1 << 20), %edx /* LM, NX */
    cmpl $(1 << 29 | 1 << 20), %edx
    jne 1f
    ret
1:  leal (no_long_mode - boot_entry + entry_load_address)(%ebp), %esi
    subl $(header_load_address), %esi
2:  movl $0x3fd, %edx /* line status: transmitter holding register empty */
    inb %dx, %al
    testb $0x20, %al
    jz 2b
    lodsb
    testb %al, %al
    jz 3f
    movl $0x3f8, %edx
    outb %al, %dx
    jmp 2b
3:  cli
    hlt
    jmp 3b

no_long_mode:
    .asciz "undertrace: this CPU has no 64-bit mode or no execute-disable; nothing was started\r\n"

    .balign 8
scratch_gdt:
    .quad 0
    .quad 0x00af9b000000ffff /* 64-bit code */
    .quad 0x00cf93000000ffff /* data */
scratch_gdt_end:

    .code64
enter_64:
    movl $0x10, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movabsq $scratch_stack_top, %rsp
    movl %edi, %edi
    movl %esi, %esi
    movl %ebp, %edx
    xorl %ebp, %ebp
    movabsq $boot_main, %rax
    callq *%rax
    ud2

    .section .scratch, "aw", @nobits
    .balign 4096
    .globl scratch_tables, scratch_stack_top
scratch_tables:
    .skip SCRATCH_TABLES_SIZE
    .skip 65536 /* holds struct boot_state */
scratch_stack_top:

    .section .note.GNU-stack, "", @progbits
