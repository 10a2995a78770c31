/*
 * Code that is copied to segments with a base, for tasks.c: the same IPs in two segments, far transfers between them,
 * and near branches that wrap around at 64 KiB.
 */
#include "tasks.h"

    .text
    .balign 16

/* A near branch from here to an IP of the segment that begins at start. */
.macro NEAR opcode:req, ip:req, start:req
    .byte \opcode
    .word (\ip - (. + 2 - \start)) & 0xffff
.endm

/*
 * Two 16-bit segments: first at IP 0, high at IP FFF0H of the same one, second at IP 0. They count in BX. One near branch
 * of first is also reached through a segment that begins 4 KiB before it: there it does not wrap around, and leads to
 * before instead of after.
 */
.macro SEGMENTS name:req, first:req, second:req
    .code16
    .globl \name\()_first, \name\()_high, \name\()_second, \name\()_before, \name\()_after, \name\()_end
\name\()_first:
    xorl %ebx, %ebx
    movw $SEGMENT_ROUNDS, %cx
1:  incw %bx
    lcall $\second, $0
    lcall $\first, $0x160
    lcall $\first - 0x100, $0x1160
    .ifc \name, v86
    int $0x41
    .endif
    loop 1b
    NEAR 0xe9, 0xfff0, \name\()_first
    ud2
    .org \name\()_first + 0x80
    incw %bx
    ret
    .org \name\()_first + 0x100
    ljmp $\second, $0x100
    .org \name\()_first + 0x160
    NEAR 0xe9, 0xfec0, \name\()_first
    .org \name\()_first + 0x180
    .ifc \name, v86
    int $0x42
    .else
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $CODE32, $segments_real_back
    .org \name\()_first + SEGMENT_REAL_IP /* 16-bit protected mode */
    movl %cr0, %eax
    andl $0x7ffffffe, %eax
    movl %eax, %cr0
    ljmp $\first, $SEGMENT_REAL_IP + 0x20
    .org \name\()_first + SEGMENT_REAL_IP + 0x20
    movw $\first, %ax
    movw %ax, %ss
    movw $0xe000, %sp
    NEAR 0xe9, 0, \name\()_first
    .endif
\name\()_before:
    incw %bx
    incw %bx
\name\()_after:
    incw %bx
    lret
\name\()_second:
    call 1f
    jmp 2f
1:  incw %bx
    ret
2:  testb $1, %bl
    jz 3f
    incw %bx
3:  lret
    .org \name\()_second + 0x100
    ljmp $\first, $0x180
\name\()_high:
    incw %bx
.L\name\()_call:
    .byte 0xe8
    .word (0x80 - (0xfff0 + . + 2 - \name\()_high)) & 0xffff
    .byte 0xe9
    .word (0x100 - (0xfff0 + . + 2 - \name\()_high)) & 0xffff
\name\()_end:
.endm

    SEGMENTS v86, SEGMENT_V86, SEGMENT_V86 + 0x1000
    .balign 16
    SEGMENTS real, SEGMENT_REAL, SEGMENT_REAL + 0x1000

/* 32-bit segments: alias at the IP of segments_flat, local in the LDT at IP 0, with local_high at IP FFF0H. */
    .code32
    .globl alias_first, alias_end, local_first, local_high, local_end
alias_first:
    incl %ebx
    call 1f
    lcall $LOCAL_CODE, $0
    testb $1, %bl
    jz 2f
    incl %ebx
2:  lret
1:  incl %ebx
    ret
alias_end:
local_first:
    incl %ebx
    .byte 0x66
    NEAR 0xe9, 0xfff0, local_first
    .org local_first + 0x40
    call 1f
    testb $1, %bl
    jnz 2f
    incl %ebx
2:  lret
1:  incl %ebx
    ret
local_high:
    incl %ebx
    .byte 0x66, 0xe9
    .word (0x40 - (0xfff0 + . + 2 - local_high)) & 0xffff
local_end:

/* --- the stories --- */

    .globl story_segments_v86, story_segments_real, story_segments_32
story_segments_v86:
    .rept 4 /* GS to ES */
    pushl $0x30
    .endr
    pushl $0x100 /* SS */
    pushl $0x800
    pushl $0x23002 /* VM, IOPL 3 */
    pushl $SEGMENT_V86
    pushl $0
    iret

story_segments_real:
    ljmp $CODE16_REAL, $SEGMENT_REAL_IP
segments_real_back:
    movl $DATA, %eax
    movl %eax, %ds
    movl %ebx, task_log
    incl task_logged
    jmp task_end

story_segments_32:
    movl $SOME_LDT, %eax
    lldt %ax
    xorl %ebx, %ebx
    movl $SEGMENT_ROUNDS, %ecx
1:  call segments_flat
    lcall $CODE32_ALIAS, $segments_flat
    lcall $LOCAL_CODE, $0
    loop 1b
    movl %ebx, task_log
    incl task_logged
    jmp task_end

    /* Flat code on a page of its own, with branches at other IPs than alias's. */
    .balign 4096
    .globl segments_flat
segments_flat:
    jmp 1f
    nop
1:  incl %ebx
    testb $2, %bl
    jz 2f
    incl %ebx
2:  ret
    .balign 4096

    .section .note.GNU-stack, "", @progbits
