/*
 * With BranchEn = 0 no FUP follows OVF (36.3.8, Table 36-35).
 *
 * options: profile=skylake, ovf=26:2
 *
 * expect:
 * cbr *
 * ovf
 * pip *
 */
#include "row.h"

    ROW
    movq %cr3, %rdi
    TRACE_ON CTL_TRACE_EN | CTL_OS | CTL_TOPA
    movq %rdi, %cr3
    movq %rdi, %cr3
    movq %rdi, %cr3
    TRACE_OFF
    ROW_END
