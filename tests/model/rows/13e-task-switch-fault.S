/*
 * Row 13e for a fault of a task switch that is past its commit point: the FUP holds the address where the task switch
 * started, which is not what is saved (36.4.2.6).
 *
 * code32: legacy_compatibility legacy_back
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge on
 * tnt.8 !
 * fup switch
 * pip 73000
 * tip handler
 * fup off
 * tip.pgd
 * report a
 */
#include "row.h"
#include "legacy.inc"

    ROW
    LEGACY_DIRECTORIES
    TASKS ldt=4 /* an LDT in the LDT: #TS */
    LEGACY_MODE CR4_PSE, 0x73000
    TASKS_TR 10 /* #TS */
    LEGACY_TRACE_ON CTL_DEFAULT
    testl %esp, %esp
    jnz 1f
1:
switch:
    ljmp $0x30, $0
handler: /* of #TS, and where the first task continues; the second one's TSS shows that it had begun */
    LEGACY_TRACE_OFF
    LONG_MODE
    TASKS_END
    movl tss_b + 0x20, %eax
    subl $task - 10, %eax
    REPORT %rax
    ret
    .code32
task:
    nop
    .code64
    ROW_END
