/*
 * VM entries that fail before they load any state: each is a far transfer to the next instruction (36.5.2.7). VMRESUME of
 * a VMCS that is clear, VMLAUNCH after MOV to SS, with controls that are not valid, with a host state that is not valid,
 * without a VMCS.
 *
 * expect:
 * cbr *
 * mode.exec cs.l
 * tip.pge on
 * tip launch_state
 * tip mov_ss
 * tip controls
 * tip host_state
 * tip no_vmcs
 * fup off
 * tip.pgd
 */
#include "row.h"

    ROW
    VMX_START guest, host
    movl $VM_ENTRY_CONTROLS, %ebx
    vmread %rbx, %rbp
    movl $0x6c00, %esi /* CR0 */
    movl $DATA64, %edi
    movq $-1, %r12
    xorl %r13d, %r13d
    TRACE_ON
    vmresume
launch_state:
    movl %edi, %ss
    vmlaunch
mov_ss:
    vmwriteq %r12, %rbx
    vmlaunch
controls:
    vmwriteq %rbp, %rbx
    vmwriteq %r13, %rsi
    vmlaunch
host_state:
    vmclear vmcs_pointer(%rip)
    vmlaunch
no_vmcs:
    TRACE_OFF
host:
    VMX_END
    ret
guest:
    vmcall
    VMX_POINTERS
    ROW_END
