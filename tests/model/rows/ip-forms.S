/*
 * IP compression, Table 36-18: the smallest IPBytes that tells the address.
 * The image is also mapped in the upper half and at the top of the lower half of the address space; the reports are the
 * IPBytes of TIP.PGE and the TIPs.
 *
 * options: profile=skylake
 * mapped: ffffff8000010000 7f8000010000
 *
 * expect:
 * cbr 23
 * mode.exec cs.l
 * tip.pge on
 * tip near
 * tip *
 * tip *
 * tip back
 * fup off
 * tip.pgd
 * report 2
 * report 1
 * report 3
 * report 3
 * report 3
 */
#include "row.h"

    .macro IP_BYTES at
    movzbl 0x300000 + \at, %eax
    shrl $5, %eax
    REPORT %rax
    .endm

    ROW
    movq TABLES, %rax
    movq %rax, TABLES + 8 * 511
    movq %rax, TABLES + 8 * 255
    TRACE_ON
    jmp *jumps
near:
    jmp *jumps + 8
high:
    jmp *jumps + 16
top_of_low:
    jmp *jumps + 24
back:
    TRACE_OFF
    IP_BYTES 28
    IP_BYTES 33
    IP_BYTES 36
    IP_BYTES 43
    IP_BYTES 50
    ROW_END
    .data
    .balign 8
jumps:
    .quad near, high + 0xffffff8000000000, top_of_low + 0x7f8000000000, back
