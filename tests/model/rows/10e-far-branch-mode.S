/*
 * Row 10e: MODE.Exec where a far branch changes CS.L and CS.D: compatibility mode with 32 and with 16 bits, and
 * back.
 *
 * code32: code32 code16
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * mode.exec cs.d
 * tip code32
 * mode.exec
 * tip code16
 * mode.exec cs.l
 * tip code64
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    movq gdt_code16(%rip), %rbx
    movq %rbx, gdt + 0x28 /* for a while: a 16-bit code segment of CPL 0 */
    TRACE_ON
    ljmp *pointer32
    .code32
code32:
    ljmp $0x28, $code16
    .code16
code16:
    ljmpl $CODE64, $code64
    .code64
code64:
    TRACE_OFF
    movq gdt_user32(%rip), %rbx
    movq %rbx, gdt + 0x28
    ret
    .data
    .balign 8
gdt_code16:
    .quad 0x008f9b000000ffff
gdt_user32:
    .quad 0x00cffb000000ffff
pointer32:
    .long code32
    .word CODE32
    .text
    ROW_END
