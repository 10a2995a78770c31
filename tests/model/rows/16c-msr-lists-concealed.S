/*
 * Rows 17g and 16c as one traces only the host, with VM entries and exits concealed: TIP.PGD, and TIP.PGE in the host
 * (Table "Packets on VMX Transitions (Host-Only Tracing)").
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip.pgd
 * cbr *
 * mode.exec cs.l
 * tip.pge host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL CTL_DEFAULT & ~CTL_TRACE_EN
    VM_EXIT_LOADS_CTL CTL_DEFAULT
    VM_CONTROL_SET VM_SECONDARY, 1 << 19
    VM_CONTROL_SET VM_EXIT_CONTROLS, 1 << 24
    VM_CONTROL_SET VM_ENTRY_CONTROLS, 1 << 17
    TRACE_ON
    GUEST_ENTRY_AND_EXIT
    ROW_END
