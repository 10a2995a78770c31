/*
 * Rows 5b, 5d and 5c with PAE paging: the CR3 filter compares CR3[63:5] (36.2.4.2), and a PIP has CR3[11:5] (36.4.2.7).
 *
 * code32: legacy_compatibility legacy_back
 * perf: packets (it does not know MOV to CR3, and takes the TIP.PGD for the next branch's)
 *
 * expect:
 * cbr *
 * pip 73fe0
 * mode.exec cs.d
 * tip.pge matches
 * pip 73fe0
 * tip.pgd
 */
#include "row.h"
#include "legacy.inc"

    ROW
    /* Page-directory-pointer tables at 73FC0H and 73FE0H, a page directory of 2 MiB pages, identity. */
    movl $0x73fc0, %edi
    xorl %eax, %eax
    movl $16, %ecx
    rep stosl
    movl $0x74001, 0x73fc0
    movl $0x74001, 0x73fe0
    movl $0x74000, %edi
    movl $0x83, %eax
1:  movq %rax, (%rdi)
    addl $8, %edi
    addl $0x200000, %eax
    cmpl $0x40000000, %eax
    jb 1b
    SET_MSR RTIT_CR3_MATCH, 0x73fe0
    LEGACY_MODE CR4_PAE, 0x73fc0
    movl $0x73fe0, %ebx
    movl $0x73ff8, %esi
    movl $0x73fc0, %edi
    LEGACY_TRACE_ON CTL_DEFAULT | CTL_CR3_FILTER
    movl %ebx, %cr3
matches:
    movl %esi, %cr3 /* CR3[4:0] are not compared, nor in the PIP */
    movl %edi, %cr3
    LEGACY_TRACE_OFF
    LONG_MODE
    ret
    ROW_END
