/*
 * IP filters compare what IP packets hold (36.3.1.1): RIP where CPUID.14H:ECX.LIP = 0, without the code segment's base.
 *
 * mapped: 0
 * libipt: no truth (it has RIP, the truth linear addresses)
 * perf: packets (it has RIP, the truth linear addresses)
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge target_rip
 * tip next_rip
 * fup fault_rip
 * tip.pgd back
 */
#include "row.h"

    ROW
    GATE 6, back
    movabsq $0x00cf9b010000ffff, %rax /* 32-bit code, base 10000H */
    movq %rax, gdt + 0x40
    RANGE 0, target_rip, end_rip
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
end:
    .code64
back:
    TRACE_OFF
    addq $40, %rsp
    ret
pointer:
    .long target - 0x10000
    .word 0x40
    .set target_rip, target - 0x10000
    .set next_rip, next - 0x10000
    .set fault_rip, faults - 0x10000
    .set end_rip, end - 0x10000
    ROW_END
