/*
 * The guest's first instructions if it is a disk's boot sector. boot/guest/disk_load.c copies the two parts to
 * DISK_START32_PA and DISK_START16_PA; they run as part of the guest.
 *
 * In: 32-bit protected mode, flat segments, paging and interrupts off (as for a kernel of Linux, whose way of entry this
 * is). Out, as a BIOS leaves it: real mode, interrupts on, the vectors at 0, text mode; DL = the drive, all other
 * segments and the rest of EDX zero, the stack below the sector, CS:IP = 0000:7C00H.
 *
 * Source: SDM Vol. 3A, "Switching Back to Real-Address Mode".
 */
#include "boot/guest/disk.h"
#include "base/control.h"

#define CODE16 0x08
#define DATA16 0x10
#define AT32(label) (DISK_START32_PA + (label) - disk_start32)
#define AT16(label) (DISK_START16_PA + (label) - disk_start16)
#define VIDEO_SET_TEXT_80X25 0x0003 /* INT 10h, AH = 0, AL = the mode: it clears the screen as well */

    .section .init.table, "a"
    .globl disk_start32, disk_start32_end, disk_start16, disk_start16_end, disk_start16_drive
    .hidden disk_start32, disk_start32_end, disk_start16, disk_start16_end, disk_start16_drive
    .balign 16
    .code32
disk_start32:
    lgdt AT32(gdt_pointer)
    lidt AT32(vectors_pointer)
    ljmp $CODE16, $DISK_START16_PA
    .balign 8
gdt:
    .quad 0
    .quad 0x00009b000000ffff /* 16-bit code, 64 KiB from 0 */
    .quad 0x000093000000ffff /* data */
gdt_pointer:
    .word gdt_pointer - gdt - 1
    .long AT32(gdt)
vectors_pointer:
    .word 0x3ff
    .long 0
disk_start32_end:

    .code16
disk_start16:
    movw $DATA16, %ax /* segments with real mode's limits */
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %fs
    movw %ax, %gs
    movw %ax, %ss
    movl %cr0, %eax
    andl $~CR0_PE, %eax
    movl %eax, %cr0
    ljmp $0, $AT16(1f)
1:  xorl %eax, %eax
    movw %ax, %ds
    movw %ax, %es
    movw %ax, %fs
    movw %ax, %gs
    movw %ax, %ss
    movl $DISK_SECTOR_PA, %esp
    sti
    movw $VIDEO_SET_TEXT_80X25, %ax
    int $0x10
    xorl %eax, %eax
    xorl %edx, %edx
    .byte 0xb2 /* MOV DL, imm8 */
disk_start16_drive:
    .byte 0
    ljmp $0, $DISK_SECTOR_PA
disk_start16_end:

    .section .note.GNU-stack, "", @progbits
