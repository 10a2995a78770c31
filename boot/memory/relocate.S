/*
 * image_move: boot/memory/paging.h. In: RDI = to, RSI = from, RDX = bytes, RCX = CR3, R8 = top of the new stack, R9 = next.
 * The instructions behind the load of CR3 are those of the copy: it is mapped where the original was.
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
