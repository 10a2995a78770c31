/* A library with functions, a symbol without a size, entries of a PLT, and frames; 64- and 32-bit. */
    .globl first, second
    .type first, @function
    .text
first:
    .cfi_startproc
    call outside@PLT
    ret
    .cfi_endproc
    .size first, . - first

    .type second, @function
second:
    .cfi_startproc
    call other@PLT
    jmp first@PLT
    .cfi_endproc
    .size second, . - second

    .type hidden, @function
hidden:
    .cfi_startproc
    nop
    ret
    .cfi_endproc
    .size hidden, . - hidden

label:
    ret
