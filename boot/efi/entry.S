/*
 * From UEFI firmware to C. The firmware has loaded the PE image that boot/efi/pe_header.S describes, and calls
 * efi_entry.
 *
 * In (UEFI Specification 2.10, 2.3.4 "x64 Platforms"): 64-bit mode, memory mapped one to one, interrupts on, RCX = image
 * handle, RDX = system table, 128 KiB of stack. The image lies at any page-aligned address, perhaps above 4 GiB.
 *
 * The image is copied to memory below 4 GiB that the firmware allocates and nothing frees before ExitBootServices: the
 * guest begins there (boot/efi/gate.S: efi_resume), when the firmware may have freed the image that it has loaded.
 *
 * Out: at the linked address, on the scratch stack, in efi_main(EDI = physical address of the copy, RSI = image handle,
 * RDX = system table). Mapped: all that the firmware has mapped, also at DIRECT_MAP_BASE as far as it is in the first
 * 512 GiB, and the copy at IMAGE_BASE. Interrupts are off.
 */
#include "base/control.h"
#include "base/msr_numbers.h"
#include "base/phys.h"
#include "boot/efi/context.h"
#include "boot/efi/gate.inc"

#define SYSTEM_TABLE_CON_OUT 64
#define SYSTEM_TABLE_BOOT_SERVICES 96
#define CON_OUT_OUTPUT_STRING 8
#define BOOT_SERVICES_ALLOCATE_PAGES 40
#define ALLOCATE_MAX_ADDRESS 1
#define EFI_LOADER_CODE 1
#define EFI_UNSUPPORTED 3

#define PAGE_PRESENT_WRITE 0x3
#define PML4_INDEX(va) (((va) >> 39) & 511)
#define PDPT_INDEX(va) (((va) >> 30) & 511)

    .section .init, "ax"
    .globl efi_entry
efi_entry:
    push_firmware_registers
    movq %rcx, %r12
    movq %rdx, %r13

    movq %cr4, %rax
    leaq la57_text(%rip), %rdx
    testl $CR4_LA57, %eax
    jnz unsupported
    leaq cet_text(%rip), %rdx
    testl $CR4_CET, %eax
    jnz unsupported

    /* AllocatePages(AllocateMaxAddress, EfiLoaderCode, pages, &address); the first 32 bytes are the callee's. */
    subq $48, %rsp
    movl $0xffffffff, %eax
    movq %rax, 32(%rsp)
    movl $ALLOCATE_MAX_ADDRESS, %ecx
    movl $EFI_LOADER_CODE, %edx
    movl $(efi_low_pages), %r8d
    leaq 32(%rsp), %r9
    movq SYSTEM_TABLE_BOOT_SERVICES(%r13), %rax
    callq *BOOT_SERVICES_ALLOCATE_PAGES(%rax)
    movq 32(%rsp), %rbx
    addq $48, %rsp
    leaq memory_text(%rip), %rdx
    testq %rax, %rax
    jnz failed

    cld
    leaq image_start(%rip), %rsi
    movq %rbx, %rdi
    movl $(efi_moved_size), %ecx
    rep movsb
    leaq scratch_tables(%rip), %rdi
    leaq image_start(%rip), %rcx
    subq %rcx, %rdi
    addq %rbx, %rdi
    movl $(efi_scratch_size), %ecx
    xorl %eax, %eax
    rep stosb
    leaq in_copy(%rip), %rax
    leaq image_start(%rip), %rcx
    subq %rcx, %rax
    addq %rbx, %rax
    jmpq *%rax

unsupported:
    movl $EFI_UNSUPPORTED, %eax
    btsq $63, %rax /* an error */

/* RAX = the status that the firmware gets, RDX = a message. OutputString(ConOut, message); a machine may have no console.
 */
failed:
    movq %rax, %rbx
    movq SYSTEM_TABLE_CON_OUT(%r13), %rcx
    testq %rcx, %rcx
    jz 1f
    subq $32, %rsp
    callq *CON_OUT_OUTPUT_STRING(%rcx)
    addq $32, %rsp
1:  movq %rbx, %rax
    pop_firmware_registers
    retq

    .balign 2
la57_text:
    .string16 "undertrace: not started: the firmware uses 5-level paging (CR4.LA57), which is not supported\r\n"
cet_text:
    .string16 "undertrace: not started: the firmware uses control-flow enforcement (CR4.CET), which is not supported\r\n"
memory_text:
    .string16 "undertrace: not started: the firmware has no memory left below 4 GiB\r\n"

/* RBX = address of image_start, R12 = handle, R13 = system table. */
in_copy:
    leaq efi_area(%rip), %rbp
    context_save %rbp
    cli
    call tables_build
    leaq scratch_tables(%rip), %rax
    movq %rax, %cr3
    movabsq $scratch_stack_top, %rsp
    movl %ebx, %edi
    movq %r12, %rsi
    movq %r13, %rdx
    xorl %ebp, %ebp
    movabsq $efi_main, %rax
    callq *%rax
    ud2

/* The firmware's top-level table with two more entries, for the direct map and for the image, in scratch_tables, which
 * has four more pages than are needed here. */
tables_build:
    leaq scratch_tables(%rip), %rdi
    movq %rdi, %rdx
    movq %cr3, %rsi
    andq $-4096, %rsi
    movl $512, %ecx
    rep movsq
    movq (%rdx), %rax
    movq %rax, (8 * PML4_INDEX(DIRECT_MAP_BASE))(%rdx)
    leaq (0x1000 + PAGE_PRESENT_WRITE)(%rdx), %rax
    movq %rax, (8 * PML4_INDEX(IMAGE_BASE))(%rdx)
    leaq (0x2000 + PAGE_PRESENT_WRITE)(%rdx), %rax
    movq %rax, (0x1000 + 8 * PDPT_INDEX(IMAGE_BASE))(%rdx)
    leaq (0x3000 + PAGE_PRESENT_WRITE)(%rdx), %rax
    movq %rax, 0x2000(%rdx)
    leaq PAGE_PRESENT_WRITE(%rbx), %rax
    xorl %ecx, %ecx
1:  movq %rax, 0x3000(%rdx, %rcx, 8)
    addq $0x1000, %rax
    incl %ecx
    cmpl $512, %ecx
    jne 1b
    retq

    .section .scratch.efi, "aw", @nobits
    .balign 4096
    .globl efi_area, efi_area_end
efi_area:
    .skip AREA_SIZE
efi_area_end:

    .section .note.GNU-stack, "", @progbits
