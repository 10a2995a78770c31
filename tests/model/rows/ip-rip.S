/*
 * CPUID.14H:ECX.LIP = 0: IP payloads are RIP, which leaves out the base of the code segment (Table 36-11).
 *
 * mapped: 0
 * libipt: no truth (it has RIP, the truth linear addresses)
 * perf: packets (it has RIP, the truth linear addresses)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * mode.exec cs.d
 * tip target_rip
 * tip next_rip
 * fup fault_rip
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
    .set target_rip, target - 0x10000
    .set next_rip, next - 0x10000
    .set fault_rip, faults - 0x10000
    ROW_END
