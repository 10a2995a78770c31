/*
 * TSC packets in non-root operation have the VMCS's offset (36.8.3.3), like RDTSC; TMA has not.
 *
 * options: profile=icelake
 *
 * expect:
 * tsc 55*
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
    VM_CONTROL_SET 0x4002, 1 << 3
    VMWRITE 0x2010, 0x0055000000000000
    VM_ENTRY_LOADS_CTL_FIELD CTL_DEFAULT | CTL_TSC_EN
    GUEST_ENTRY_AND_EXIT_UNTRACED
    ROW_END
