/*
 * Deferred TIPs, 36.4.2.3 and Table 36-19: the TIP is written after the TNT packet that is being filled. An uncompressed RET
 * forces them out and does not wait.
 *
 * options: profile=skylake, deferred=1
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * tip first
 * tnt.8 .!!.!!
 * tip second
 * tip third
 * tnt.8 !!!.
 * tip fourth
 * tip last
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    xorl %ebx, %ebx
    TRACE_ON
    jmp *jumps
first:
    testl %ebx, %ebx
    jnz 1f
1:  jmp *jumps + 8
second:
    movl $3, %ecx
1:  loop 1b
    jmp *jumps + 16
third:
    movl $6, %ecx
1:  loop 1b
    jmp *jumps + 24
fourth:
    leaq last(%rip), %rax
    pushq %rax
    ret
last:
    TRACE_OFF
    ROW_END
    .data
    .balign 8
jumps:
    .quad first, second, third, fourth
