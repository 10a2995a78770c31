/*
 * image_move: boot/memory/paging.h. In: RDI = target, RSI = source, RDX = bytes, RCX = CR3, R8 = top of the new stack,
 * R9 = next. After the load of CR3, the instructions come from the copy, which is mapped at the same linear address.
 */
    .section .init, "ax"
    .globl image_move
image_move:
    movq %rcx, %rax
    movq %rdx, %rcx
    cld
    rep movsb
    movq %rax, %cr3
    movq %r8, %rsp
    xorl %ebp, %ebp
    callq *%r9
    ud2

    .section .note.GNU-stack, "", @progbits
