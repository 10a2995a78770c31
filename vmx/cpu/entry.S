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
 */
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

    .text
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
    movq %rsp, %rdi
    call vmx_nmi_before_entry
    jmp enter

/* vmx_launch(registers in RDI): the first VM entry. */
vmx_launch:
    movq %rdi, %rsp
    pop_registers
    vmlaunch
failed:
    push_registers
    movq %rsp, %rdi
    call vmx_entry_failed

    .section .note.GNU-stack, "", @progbits
