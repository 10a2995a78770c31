/*
 * Exceptions and NMIs in root mode: 32 stubs that build a struct trap_frame (base/trap_frame.h) and call trap_handle.
 *
 * In: as the processor pushes it (SDM Vol. 3A, "64-Bit Mode Stack Frame"): RSP 16-byte aligned before SS. Out: all
 * general registers as in the frame, which the handler may have changed. Other state is not saved: root mode uses none.
 *
 *     frame + 0x78  vector       pushed by the stub
 *     frame + 0x80  error code   pushed by the processor, or 0 by the stub
 *     frame + 0x88  RIP CS RFLAGS RSP SS
 */

    .text

/* Vectors with an error code: #DF 8, #TS 10, #NP 11, #SS 12, #GP 13, #PF 14, #AC 17, #CP 21, 29, #SX 30. */
    .altmacro
    .macro trap_stub vector
    .balign 16
    .if (0x60227d00 >> \vector) & 1
    .else
    pushq $0
    .endif
    pushq $\vector
    jmp trap_common
    .endm

    .globl trap_stubs
    .balign 16
trap_stubs:
    .set v, 0
    .rept 32
    trap_stub %v
    .set v, v + 1
    .endr

    .balign 16
trap_common:
    pushq %r15
    pushq %r14
    pushq %r13
    pushq %r12
    pushq %r11
    pushq %r10
    pushq %r9
    pushq %r8
    pushq %rbp
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %rbx
    pushq %rax
    cld
    movq %rsp, %rdi
    call trap_handle
    popq %rax
    popq %rbx
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rbp
    popq %r8
    popq %r9
    popq %r10
    popq %r11
    popq %r12
    popq %r13
    popq %r14
    popq %r15
    addq $16, %rsp
    iretq

    .section .note.GNU-stack, "", @progbits
