/*
 * IP filters compare what IP packets hold (36.3.1.1): linear addresses where CPUID.14H:ECX.LIP = 1.
 *
 * options: profile=icelake
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge target
 * tip next
 * fup faults
 * tip.pgd back
 */
#include "row.h"

    ROW
    GATE 6, back
    movabsq $0x00cf9b010000ffff, %rax /* 32-bit code, base 10000H */
    movq %rax, gdt + 0x40
    RANGE 0, target, back
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
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
