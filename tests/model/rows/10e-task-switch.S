/*
 * Row 10e for a task switch, by a far jump to a TSS in 32-bit protected mode: PIP, as CR3 is updated. Then an
 * exception through a task gate (row 13e), and IRET back from the nested task.
 *
 * code32: legacy_compatibility legacy_back
 *
 * expect:
 * cbr *
 * mode.exec cs.d
 * tip.pge on
 * pip 74000
 * tip task
 * fup faults
 * pip 73000
 * tip handler
 * pip 74000
 * tip resume
 * fup off
 * tip.pgd
 */
#include "row.h"
#include "legacy.inc"

    ROW
    LEGACY_DIRECTORIES
    TASKS
    LEGACY_MODE CR4_PSE, 0x73000
    TASKS_TR 6 /* #UD */
    LEGACY_TRACE_ON CTL_DEFAULT
    ljmp $0x30, $0
handler: /* where the first task continues; the second one continues where its TSS says */
    movl $resume, tss_b + 0x20
    iret
task:
    nop
faults:
    ud2
resume:
    LEGACY_TRACE_OFF
    LONG_MODE
    TASKS_END
    ret
    ROW_END
