/*
 * Row 16h with only "conceal VM exits from PT": the VM entry has its PIP with NR=1, the exit has none (36.5.1).
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 72000, nr
 * tip guest
 * fup exits
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_CONTROL_SET 0x400c, 1 << 24
    TRACE_ON
    GUEST_ENTRY_AND_EXIT
    ROW_END
