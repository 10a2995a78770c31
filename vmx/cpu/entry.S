/*
 * VM exit and VM entry.
 *
 * A VM exit loads RSP with the top of struct cpu's stack, GS.base with the address of struct cpu and RIP with
 * vmx_exit_entry; the other general registers are the guest's (SDM "Loading Host State"). They are pushed in descending
 * order of their numbers, so that they form a struct guest_registers (vmx/cpu/cpu.h) on top of the stack; the slot of RSP is
 * unused. Not saved, because root mode does not change them: x87, SSE and AVX state, CR2, DR0 to DR6, and the MSRs that
 * the VMCS does not switch.
 *
 * NMIs in root mode are only counted (vmx/nmi/nmi.c). The count is tested right before VMRESUME. The handler of an NMI that
 * arrives between the test and VMRESUME moves its own return address back to the test. So nothing between
 * vmx_entry_window_start and vmx_entry_window_end may change state.
 *
 * With mitigations=on (vmx/cpu/mitigations.h), VM exits lead to vmx_exit_entry_mitigated instead. Root executes no RET
 * and no indirect branch there before its measures after the VM exit, and none after those before VM entry.
 */
#include "base/msr_numbers.h"
#include "vmx/cpu/offsets.h"

    .macro push_registers
    pushq %r15
    pushq %r14
    pushq %r13
    pushq %r12
    pushq %r11
    pushq %r10
    pushq %r9
    pushq %r8
    pushq %rdi
    pushq %rsi
    pushq %rbp
    pushq %rsp
    pushq %rbx
    pushq %rdx
    pushq %rcx
    pushq %rax
    .endm

    .macro pop_registers
    popq %rax
    popq %rcx
    popq %rdx
    popq %rbx
    leaq 8(%rsp), %rsp
    popq %rbp
    popq %rsi
    popq %rdi
    popq %r8
    popq %r9
    popq %r10
    popq %r11
    popq %r12
    popq %r13
    popq %r14
    popq %r15
    .endm

    /* Fill the return stack buffer with calls from here, so that no RET of root's is predicted by the guest's. LFENCE:
     * none is executed speculatively before the calls have retired. The return addresses are never used. */
    .macro fill_return_stack_buffer
    movl $16, %eax
10: call 12f
11: pause
    lfence
    jmp 11b
12: call 14f
13: pause
    lfence
    jmp 13b
14: decl %eax
    jnz 10b
    addq $(32 * 8), %rsp
    lfence
    .endm

    /* IBRS is written even if the guest has set it: only then do predictions of the guest's no longer apply. */
    .macro mitigate_after_exit
    fill_return_stack_buffer
    testb $MEASURE_IBRS, %gs:CPU_MEASURES
    jz 20f
    movl $IA32_SPEC_CTRL, %ecx
    rdmsr
    movl %eax, %gs:CPU_GUEST_SPEC_CTRL
    movl %edx, %gs:CPU_GUEST_SPEC_CTRL + 4
    orl $SPEC_CTRL_IBRS, %eax
    wrmsr
20:
    .endm

    /* The registers that are loaded after this are the guest's own data. */
    .macro mitigate_before_entry
    testb $MEASURE_IBRS, %gs:CPU_MEASURES
    jz 30f
    movl $IA32_SPEC_CTRL, %ecx
    movl %gs:CPU_GUEST_SPEC_CTRL, %eax
    movl %gs:CPU_GUEST_SPEC_CTRL + 4, %edx
    wrmsr
30: testb $MEASURE_L1D_FLUSH, %gs:CPU_MEASURES
    jz 31f
    movl $IA32_FLUSH_CMD, %ecx
    movl $FLUSH_CMD_L1D_FLUSH, %eax
    xorl %edx, %edx
    wrmsr
31: testb $MEASURE_VERW, %gs:CPU_MEASURES
    jz 32f
    verw %gs:CPU_VERW_SELECTOR
32:
    .endm

    .text
    .globl vmx_exit_entry_mitigated
    .hidden vmx_exit_entry_mitigated
    .globl vmx_exit_entry, vmx_entry_window_start, vmx_entry_window_end, vmx_launch
    .hidden vmx_exit_entry, vmx_entry_window_start, vmx_entry_window_end, vmx_launch

    .balign 16
vmx_exit_entry:
    push_registers
    movq %rsp, %rdi
    call vmx_exit_dispatch
enter:
    pop_registers
vmx_entry_window_start:
    cmpl $0, %gs:CPU_NMIS_IN_ROOT
    jne nmi_before_entry
    vmresume
vmx_entry_window_end:
    jmp failed

nmi_before_entry:
    push_registers
    cmpw $0, %gs:CPU_MEASURES
    jne nmi_mitigated
    movq %rsp, %rdi
    call vmx_nmi_before_entry
    jmp enter

    .balign 16
vmx_exit_entry_mitigated:
    push_registers
    mitigate_after_exit
    movq %rsp, %rdi
    call vmx_exit_dispatch
enter_mitigated:
    mitigate_before_entry
    jmp enter

nmi_mitigated:
    mitigate_after_exit
    movq %rsp, %rdi
    call vmx_nmi_before_entry
    jmp enter_mitigated

/* vmx_launch(registers in RDI): the first VM entry. */
vmx_launch:
    movq %rdi, %rsp
    mitigate_before_entry
    pop_registers
    vmlaunch
failed:
    push_registers
    movq %rsp, %rdi
    call vmx_entry_failed

    .section .note.GNU-stack, "", @progbits
