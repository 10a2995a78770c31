/*
 * Erratum SKL014: TIP.PGD of a direct branch that clears FilterEn has no IP (row 6b without it). Indirect branches
 * have it.
 *
 * options: profile=skylake, errata=skl014
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 * tip.pge inside
 * tip.pgd
 * tip.pge inside_again
 * tip.pgd outside_again
 */
#include "row.h"

    ROW
    RANGE 0, on, end
    TRACE_ON CTL_DEFAULT | CTL_ADDR0_FILTER
    jmp outside
inside:
    call function
inside_again:
    leaq outside_again(%rip), %rax
    jmp *%rax
end:
outside:
    jmp inside
function:
    popq %rbx
    jmp inside_again
outside_again:
    TRACE_OFF
    ROW_END
