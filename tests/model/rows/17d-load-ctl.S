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
    VM_CONTROL_SET 0x4012, 1 << 18
    VM_CONTROL_SET 0x400c, 1 << 25
    VMWRITE 0x2814, CTL_DEFAULT
    vmlaunch
host:
    VMX_END
    ret
guest:
    nop
exits:
    vmcall
    ROW_END
