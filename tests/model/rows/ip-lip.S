/*
 * CPUID.14H:ECX.LIP = 1: IP payloads are linear addresses, with the base of the code segment (Table 36-11).
 *
 * options: profile=icelake
 * code32: target back
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * mode.exec cs.d
 * tip target
 * tip next
 * fup faults
 * mode.exec cs.l
 * tip back
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    GATE 6, back
    movabsq $0x00cf9b010000ffff, %rax /* 32-bit code, base 10000H */
    movq %rax, gdt + 0x40
    TRACE_ON
    ljmpl *pointer
    .code32
target:
    movl $next - 0x10000, %eax
    jmp *%eax
    nop
next:
    nop
faults:
    ud2
    .code64
back:
    TRACE_OFF
    addq $40, %rsp
    ret
pointer:
    .long target - 0x10000
    .word 0x40
    ROW_END
