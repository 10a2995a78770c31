/*
 * An SMM handler sees IA32_RTIT_CTL with TraceEn cleared and all else as it was, may trace itself, and clears TraceEn
 * before RSM (36.8.1), which sets it again.
 *
 * copied: handler handler_end 8000
 * libipt: no truth (it has RIP, the truth linear addresses)
 * perf: packets (16-bit code)
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * fup here
 * tip.pgd
 * cbr *
 * mode.exec
 * tip.pge 8010
 * tip 8020
 * fup 8028
 * tip.pgd
 * cbr *
 * mode.exec cs.l
 * tip.pge here
 * fup off
 * tip.pgd
 * report 210c
 */
#include "row.h"

    ROW
    movl $handler, %esi
    movl $0x38000, %edi
    movl $(handler_end - handler), %ecx
    rep movsb
    SMI_BY_PORT
    TRACE_ON
    outb %al, $0xb2
here:
    nop
    TRACE_OFF
    movl 0x9000, %eax
    REPORT %rax
    ret
    .code16
handler:
    movl $0x570, %ecx
    rdmsr
    movl %eax, %ds:0x9000
    orb $1, %al
    wrmsr
    movw $0x8020, %bx
    jmp *%bx
    .org handler + 0x20
    movl $0x570, %ecx
    andb $0xfe, %al
    wrmsr
    rsm
handler_end:
    .code64
    ROW_END
