/*
 * build/undertrace.efi: a PE32+ image with one section, the hypervisor's flat image. It is linked at no address: its
 * first code (boot/efi/entry.S) runs anywhere, and then maps the image at its linked address. mk/hypervisor.mk passes
 * IMAGE_FILE, IMAGE_MEMORY (bytes in memory) and IMAGE_ENTRY (offset of efi_entry).
 *
 * Source: Microsoft Portable Executable and Common Object File Format Specification, "File Headers", "Optional Header",
 * "Section Table".
 */
#define FILE_ALIGNMENT 512
#define HEADERS_SIZE 4096 /* the section follows on the next page, in the file too */
#define MACHINE_X64 0x8664
#define CHARACTERISTICS 0x022e /* executable, no line numbers, no symbols, large addresses, no debug information */
#define MAGIC_PE32_PLUS 0x20b
#define SUBSYSTEM_EFI_APPLICATION 10
#define SECTION_CODE_RWX 0xe0000020
#define NR_DIRECTORIES 6 /* the fifth is that of signatures, the sixth that of relocations: there are none */

    .section .pe, "a"
start:
    .ascii "MZ"
    .org start + 0x3c
    .long signature - start
    .balign 8
signature:
    .ascii "PE\0\0"
    .short MACHINE_X64
    .short 1 /* sections */
    .long 0, 0, 0
    .short optional_end - optional
    .short CHARACTERISTICS
optional:
    .short MAGIC_PE32_PLUS
    .byte 0, 0
    .long file_end - file, 0, 0 /* code, initialized data, uninitialized data */
    .long HEADERS_SIZE + IMAGE_ENTRY
    .long HEADERS_SIZE /* base of code */
    .quad 0            /* image base */
    .long 4096, FILE_ALIGNMENT
    .short 0, 0, 0, 0, 0, 0
    .long 0
    .long HEADERS_SIZE + IMAGE_MEMORY
    .long HEADERS_SIZE
    .long 0 /* checksum */
    .short SUBSYSTEM_EFI_APPLICATION
    .short 0
    .quad 0, 0, 0, 0
    .long 0
    .long NR_DIRECTORIES
    .skip 8 * NR_DIRECTORIES
optional_end:
    .ascii "image\0\0\0"
    .long IMAGE_MEMORY, HEADERS_SIZE
    .long file_end - file, HEADERS_SIZE
    .long 0, 0
    .short 0, 0
    .long SECTION_CODE_RWX

    .org start + HEADERS_SIZE
file:
    .incbin IMAGE_FILE
    .balign FILE_ALIGNMENT
file_end:
