/*
 * PSB+ in non-root operation has NR=1 in PIP, and VMCS (36.3.7).
 *
 * options: profile=icelake
 *
 * expect:
 * mode.exec cs.l
 * tip.pge guest
 * psb
 * cbr *
 * pip 72000, nr
 * vmcs 401000
 * mode.tsx
 * mode.exec cs.l
 * fup guest
 * psbend
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
    SET_MSR RTIT_STATUS, 0
    vmlaunch
host:
    VMX_END
    ret
guest:
    nop
exits:
    vmcall
    ROW_END
