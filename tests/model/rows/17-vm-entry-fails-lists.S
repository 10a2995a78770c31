/*
 * VM entries that fail for their MSR-load list, after IA32_RTIT_CTL in it (36.5.2.7). Where the list clears TraceEn and
 * that of VM exits sets it: TIP to the host, and the trace continues. Where it sets TraceEn and that of VM exits clears it:
 * nothing.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * pip 70000
 * tip host
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    VM_EXIT_LOADS_CTL CTL_DEFAULT
    movl $0x402020, %edi
    movq $RTIT_CTL, (%rdi)
    movq $(CTL_DEFAULT & ~CTL_TRACE_EN), 8(%rdi)
    movq $0xc0000100, %rax /* IA32_FS_BASE fails */
    movq %rax, 16(%rdi)
    VMWRITE 0x200a, 0x402020
    VMWRITE 0x4014, 2
    TRACE_ON
    vmlaunch
host:
    TRACE_OFF
    movq $CTL_DEFAULT, 0x402028
    VMWRITE 0x6c16, guest_only
    VM_EXIT_LOADS_CTL CTL_DEFAULT & ~CTL_TRACE_EN
    vmlaunch
guest_only:
    VMX_END
    ret
guest:
    vmcall
    ROW_END
