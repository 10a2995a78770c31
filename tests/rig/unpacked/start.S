/*
 * The code before a kernel that is unpacked already (tests/rig/unpacked.sh): the header that makes it a bzImage, and the switch
 * to 64-bit mode for its 64-bit entry.
 *
 * In: 32-bit protected mode, paging off, flat segments, interrupts off, ESI = boot_params (Linux boot protocol, "32-bit Boot
 * Protocol"), loaded at pref_address. Out: as in "64-bit Boot Protocol" to the kernel, which begins KERNEL bytes after this:
 * RSI = boot_params, the first 4 GiB mapped one to one.
 */
#define LOADED 0x1000000 /* pref_address */
#define KERNEL 0x200000  /* offset of the kernel: start.ld, and what `pack` puts there */

    .section .setup, "a"
setup:
    .org 0x1f1
    .byte 1                     /* setup_sects: one after the boot sector */
    .word 0                     /* root_flags */
    .long 0                     /* syssize: filled in by pack.c */
    .word 0, 0xffff, 0          /* ram_size, vid_mode, root_dev */
    .word 0xaa55                /* boot_flag */
    .byte 0xeb, header_end - 0x202 /* jump: its second byte encodes the header's end */
    .ascii "HdrS"
    .word 0x020c                /* version */
    .long 0                     /* realmode_swtch */
    .word 0, 0                  /* start_sys_seg, kernel_version */
    .byte 0                     /* type_of_loader */
    .byte 1                     /* loadflags: LOADED_HIGH; pack.c adds KASLR_FLAG */
    .word 0                     /* setup_move_size */
    .long 0x100000              /* code32_start: the first byte, as loaders count it before they relocate */
    .long 0, 0, 0               /* ramdisk_image, ramdisk_size, bootsect_kludge */
    .word 0                     /* heap_end_ptr */
    .byte 0, 0                  /* ext_loader_ver, ext_loader_type */
    .long 0                     /* cmd_line_ptr */
    .long 0x7fffffff            /* initrd_addr_max */
    .long 0x200000              /* kernel_alignment */
    .byte 1, 21                 /* relocatable_kernel: loaders take pref_address only then; min_alignment */
    .word 0                     /* xloadflags: no 64-bit entry */
    .long 2047                  /* cmdline_size */
    .long 0                     /* hardware_subarch */
    .quad 0                     /* hardware_subarch_data */
    .long 0, 0                  /* payload_offset, payload_length */
    .quad 0                     /* setup_data */
    .quad LOADED                /* pref_address */
    .long 0                     /* init_size: filled in by pack.c */
    .long 0                     /* handover_offset */
    .equ header_end, . - setup
    .org 1024

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

    movl %cr4, %eax
    orl $0x20, %eax             /* CR4.PAE */
    movl %eax, %cr4
    movl $root, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx      /* IA32_EFER */
    rdmsr
    orl $0x100, %eax            /* LME */
    wrmsr
    movl %cr0, %eax
    orl $0x80000000, %eax       /* CR0.PG */
    movl %eax, %cr0
    lgdt gdt_pointer
    ljmp $0x10, $start64

    .code64
start64:
    movl $0x18, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
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
