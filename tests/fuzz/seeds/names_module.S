/* A kernel module: code in two sections and in .init.text, relocations, its name. */
    .section .modinfo, "a"
    .asciz "license=none"
    .asciz "name=made_up"

    .section .gnu.linkonce.this_module, "aw"
    .skip 16

    .macro code from
    .rept 24
    .long (0x9e3779b1 * (\from + (. - start\from) / 4)) & 0xffffffff
    .endr
    .endm

    .globl init_module
    .type begin, @function
    .text
begin:
start1:
    code 1
    call outside
    movq $begin, %rax
    ret
    .size begin, . - begin

    .section .text.unlikely, "ax"
    .balign 16
    .type rare, @function
rare:
start2:
    code 2
    jmp begin
    .size rare, . - rare

    .section .init.text, "ax"
    .type init_module, @function
init_module:
start3:
    code 3
    call begin
    ret
    .size init_module, . - init_module
