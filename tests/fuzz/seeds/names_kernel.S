/*
 * A kernel without a symbol table: code, kallsyms tables of 64 symbols, BTF. RELATIVE: the addresses in kallsyms are
 * distances from where they lie (Linux 7.2), and the tables have 4 bytes of alignment; else they are offsets from a base
 * (after 6.14), and have 8.
 */
#ifdef RELATIVE
#define ALIGNMENT 4
#else
#define ALIGNMENT 8
#endif

    .globl text
    .text
text:
    .rept 128
    .long (0x9e3779b1 * (1 + (. - text) / 4)) & 0xffffffff
    .endr

    .section .rodata, "a"
    .balign 8
number:
    .long 64
    .balign ALIGNMENT
    .byte 6
    .ascii "T_text"
    .set i, 0
    .rept 63
    .byte 3
    .ascii "tf"
    .byte '0' + i
    .set i, i + 1
    .endr
    .balign ALIGNMENT
    .long 0                         /* the only marker */
    .balign ALIGNMENT
    .set i, 0
    .rept 256                       /* each printable character is its own token */
    .if i >= 33 && i <= 126
    .byte i, 0
    .else
    .byte '?', 0
    .endif
    .set i, i + 1
    .endr
    .balign ALIGNMENT
    .set i, 0
    .rept 256
    .short i
    .set i, i + 2
    .endr
    .balign ALIGNMENT
offsets:
    .set i, 0
    .rept 64
#ifdef RELATIVE
    .long text + i - .
#else
    .long i
#endif
    .set i, i + 8
    .endr
    .balign ALIGNMENT
#ifndef RELATIVE
    .quad text
#endif

    .section .data..percpu, "aw"
    .skip 16

    .section .BTF, "a"
    .short 0xeb9f                   /* magic; version, flags */
    .byte 1, 0
    .long 24, 0, types_end - types, types_end - types, names_end - names
types:
    .long 1, 0x01000000, 4, 32      /* 1: an integer */
    .long 5, 0x04000004, 32         /* 2: task_struct */
    .long 17, 1, 0
    .long 21, 1, 32
    .long 0, 3, 64
    .long 37, 1, 128
    .long 0, 0x04000001, 8          /* 3: its member without a name */
    .long 26, 1, 0
    .long 48, 0x0e000000, 1, 0      /* 4: a variable */
    .long 61, 0x0f000001, 8         /* 5: a section */
    .long 4, 8, 4
types_end:
names:
    .asciz ""                       /* 0 */
    .asciz "int"                    /* 1 */
    .asciz "task_struct"            /* 5 */
    .asciz "pid"                    /* 17 */
    .asciz "tgid"                   /* 21 */
    .asciz "vfork_done"             /* 26 */
    .asciz "comm"                   /* 37 */
    .skip 6
    .asciz "current_task"           /* 48 */
    .asciz ".data..percpu"          /* 61 */
names_end:
