/*
 * Instructions that may fault in root mode, and where execution continues if they do.
 *
 * Within one asm statement, the faulting instruction has label 1, the landing label 2, and FIXUP(1b, 2b) (or 2f) enters
 * both into the table. The landing does not know the fault's vector and error code. Registers are as they were at the
 * faulting instruction.
 *
 *     asm volatile("xor %0, %0\n1: wrmsr\n\tjmp 3f\n2: mov $1, %0\n3:\n" FIXUP("1b", "2b") : ...)
 */
#ifndef BASE_FIXUP_H
#define BASE_FIXUP_H

#define FIXUP(instruction, landing)                                                                                    \
    "\t.pushsection .fixup_table, \"a\"\n"                                                                             \
    "\t.balign 8\n"                                                                                                    \
    "\t.quad " instruction ", " landing "\n"                                                                           \
    "\t.popsection\n"

#endif
