/*
 * A disk's boot sector, and the sectors that it reads. In: as from a BIOS, real mode at 0000:7C00H, DL = the drive.
 *
 * It uses the BIOS's services as a boot loader does: INT 10h for the screen, INT 13h for the other sectors, INT 15h for
 * the memory map, INT 14h for the serial line, on which it prints what it finds, and the timer interrupt.
 * Its code is in segments with different bases and in 32-bit protected mode, and a near jump wraps around at 64 KiB.
 * It prints "sector: ok" and powers the machine off.
 */
    .set NR_SECTORS, 3 /* after the first */
    .set ORIGIN, 0x7c00
    .set STACK, 0x7000 /* on another page than code */
    .set SMAP, 0x534d4150
    .set TIMER_TICKS, 0x46c /* BIOS data area */
    .set VECTOR_15, 4 * 0x15
    .set COM1, 0x3f8
    .set COM1_LCR, 0x3fb
    .set PM1A_CNT, 0xb004 /* the emulator's */
    .set SLP_EN, 0x2000
    .set FAR_SEGMENT, 0x2000

    .code16
    .text
    .globl _start
_start:
    ljmp $(ORIGIN >> 4), $(1f - _start) /* a base that is not 0 */
1:  xorw %ax, %ax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %ss
    movw $STACK, %sp
    ljmp $0, $2f
2:  sti
    movb %dl, drive
    movw $0x00e3, %ax /* INT 14h: initialize COM1 */
    xorw %dx, %dx
    int $0x14
    movw $COM1_LCR, %dx /* and make it faster: 115200 baud */
    movb $0x83, %al
    outb %al, %dx
    movw $COM1, %dx
    movw $1, %ax
    outw %ax, %dx
    movw $COM1_LCR, %dx
    movb $0x03, %al
    outb %al, %dx
    movw $text_drive, %si
    call print
    movb drive, %al
    call print_byte

    movw $text_mode, %si
    call print
    movb $0x0f, %ah /* INT 10h: the video mode */
    int $0x10
    call print_byte
    movw $0x0e58, %ax /* show an X, go back to it, and read it */
    movw $0x0007, %bx
    int $0x10
    movw $0x0e08, %ax
    int $0x10
    movw $0x0800, %ax
    xorw %bx, %bx
    int $0x10
    call print_character

    movw $(0x0200 | NR_SECTORS), %ax /* INT 13h: read from cylinder 0, head 0, sector 2 */
    movw $more, %bx
    movw $0x0002, %cx
    xorb %dh, %dh
    movb drive, %dl
    int $0x13
    jc fail
    jmp more

fail:
    movw $text_failed, %si
    call print
power_off:
    movw $PM1A_CNT, %dx
    movw $SLP_EN, %ax
    outw %ax, %dx
1:  hlt
    jmp 1b

/* Print the string at DS:SI on COM1. These functions keep only SI, segments and SP. */
print:
    cld
1:  lodsb
    testb %al, %al
    jz 2f
    call print_character
    jmp 1b
2:  ret

/* AX or AL in digits; the character AL. */
print_word:
    pushw %ax
    movb %ah, %al
    call print_byte
    popw %ax
print_byte:
    pushw %ax
    shrb $4, %al
    call print_digit
    popw %ax
    andb $15, %al
print_digit:
    addb $'0', %al
    cmpb $'9', %al
    jbe print_character
    addb $('a' - '9' - 1), %al
print_character:
    movb $0x01, %ah
    xorw %dx, %dx
    int $0x14
    ret

drive:
    .byte 0
text_drive:
    .asciz "sector: drive "
text_mode:
    .asciz "\r\nsector: video mode and character "
text_failed:
    .asciz "\r\nsector: FAILED\r\n"
    .org 510
    .word 0xaa55

/* --- the other sectors, read to where they are linked -------------------------------------------------------------- */
more:
    call print_vector
    call print_map
    call print_sizes
    call others
    call wrap_around
    call protected_mode
    call timer
    movw $text_ok, %si
    call print
    jmp power_off

/* The handler is the BIOS's own. */
print_vector:
    movw $text_vector, %si
    call print
    movw VECTOR_15 + 2, %ax
    call print_word
    movb $':', %al
    call print_character
    movw VECTOR_15, %ax
    jmp print_word

print_map:
    xorl %ebx, %ebx
1:  movl $0xe820, %eax
    movl $SMAP, %edx
    movl $20, %ecx
    movw $entry, %di
    int $0x15
    jc fail
    pushl %ebx
    cmpl $SMAP, %eax
    jne fail
    cmpl $20, %ecx
    jne fail
    movw $text_entry, %si
    call print
    movw $(entry + 6), %si
    call print_quad
    movb $' ', %al
    call print_character
    movw $(entry + 14), %si
    call print_quad
    movb $' ', %al
    call print_character
    movw entry + 16, %ax
    call print_word
    popl %ebx
    testl %ebx, %ebx
    jnz 1b
    movl $0xe820, %eax /* without the signature it is refused */
    xorl %edx, %edx
    movl $20, %ecx
    int $0x15
    jnc fail
    cmpb $0x86, %ah
    jne fail
    ret

/* The quadword whose highest word is at SI. */
print_quad:
    movw $4, %cx
1:  movw (%si), %ax
    subw $2, %si
    pushw %cx
    pushw %si
    call print_word
    popw %si
    popw %cx
    loop 1b
    ret

print_sizes:
    movw $text_e801, %si
    call print
    movw $0xe801, %ax
    int $0x15
    jc fail
    pushw %bx
    call print_word
    movb $' ', %al
    call print_character
    popw %ax
    call print_word
    movw $text_88, %si
    call print
    movb $0x88, %ah
    int $0x15
    jc fail
    jmp print_word

/* Functions that the BIOS answers itself, or refuses: where the machine's configuration is, and none. */
others:
    movb $0xc0, %ah
    int $0x15
    jc fail
    pushw %es
    pushw %bx
    movw $text_c0, %si
    call print
    popw %bx
    popw %es
    movb %es:2(%bx), %al /* the model */
    call print_byte
    xorw %ax, %ax
    movw %ax, %es
    movb $0x7f, %ah
    int $0x15
    jnc fail
    cmpb $0x86, %ah
    jne fail
    ret

/* FAR_SEGMENT:FFFDh JMP to 0010h, after the segment's end; there RETF. */
wrap_around:
    movw $FAR_SEGMENT, %ax
    movw %ax, %es
    movb $0xe9, %es:0xfffd
    movw $0x0010, %es:0xfffe
    movb $0xcb, %es:0x0010
    lcall $FAR_SEGMENT, $0xfffd
    ret

/* To 32-bit protected mode and back, as boot loaders do between calls of the BIOS. */
protected_mode:
    cli
    lgdt gdt_pointer
    movl %cr0, %eax
    orb $1, %al
    movl %eax, %cr0
    ljmp $8, $1f
    .code32
1:  movl $3, %ecx
2:  loop 2b
    ljmp $16, $3f
    .code16
3:  movl %cr0, %eax
    andb $0xfe, %al
    movl %eax, %cr0
    ljmp $0, $4f
4:  sti
    ret

/* The BIOS counts the interrupts of its clock. */
timer:
    movl TIMER_TICKS, %eax
1:  hlt
    cmpl TIMER_TICKS, %eax
    je 1b
    ret

    .balign 8
gdt:
    .quad 0
    .quad 0x00cf9b000000ffff /* 32-bit code, 4 GiB */
    .quad 0x00009b000000ffff /* 16-bit code, 64 KiB */
gdt_pointer:
    .word gdt_pointer - gdt - 1
    .long gdt
entry:
    .skip 20
text_vector:
    .asciz "\r\nsector: vector of INT 15h "
text_entry:
    .asciz "\r\nsector: E820 "
text_e801:
    .asciz "\r\nsector: E801 "
text_88:
    .asciz "\r\nsector: 88 "
text_c0:
    .asciz "\r\nsector: model "
text_ok:
    .asciz "\r\nsector: ok\r\n"
    .org 512 * (1 + NR_SECTORS)
