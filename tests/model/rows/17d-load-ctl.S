/*
 * Row 17d by the VM-entry control "load IA32_RTIT_CTL", row 16f by the VM-exit control "clear IA32_RTIT_CTL": as the
 * MSR lists do it.
 *
 * options: profile=icelake
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge guest
 * fup exits
 * pip 70000
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_ENTRY_LOADS_CTL_FIELD CTL_DEFAULT
    GUEST_ENTRY_AND_EXIT_UNTRACED
    ROW_END
