/*
 * Between us and the firmware, in both directions. All of this runs in the copy of the image that boot/efi/entry.S has
 * made, at its physical address, which the firmware's page tables and ours map one to one (until
 * boot/memory/paging.h: paging_drop_identity). C calls it through pointers: boot/efi/firmware.c.
 */
#include "base/control.h"
#include "base/msr_numbers.h"
#include "boot/efi/context.h"
#include "boot/efi/gate.inc"
#include "vmx/host/selectors.h"

    .section .init, "ax"
    .globl efi_gate, efi_leave, efi_resume, efi_ap_procedure, efi_ap_resume

/*
 * uint64_t efi_gate(struct efi_area *area): call area->function with area->arguments, by the firmware's calling
 * convention, in the firmware's state, with interrupts as it had them. In: RDI = the area at its physical address.
 * Returns the status.
 */
efi_gate:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rdi, %rbx /* struct efi_area begins with the context */
    movq %rsp, %r12
    movq %cr3, %r13
    sgdt CONTEXT_OWN_GDTR(%rbx)
    sidt CONTEXT_OWN_IDTR(%rbx)
    context_load
    movq CONTEXT_RSP(%rbx), %rsp
    movq (%rsp), %r14 /* its RFLAGS */
    context_load_cs

    /* Of eight arguments four are in registers, whose places on the stack are the callee's. */
    andq $-16, %rsp
    subq $64, %rsp
    movl $4, %ecx
1:  movq (AREA_CALL + 8)(%rbx, %rcx, 8), %rax
    movq %rax, (%rsp, %rcx, 8)
    incl %ecx
    cmpl $8, %ecx
    jne 1b
    movq (AREA_CALL + 8)(%rbx), %rcx
    movq (AREA_CALL + 16)(%rbx), %rdx
    movq (AREA_CALL + 24)(%rbx), %r8
    movq (AREA_CALL + 32)(%rbx), %r9
    movq AREA_CALL(%rbx), %rax
    testl $RFLAGS_IF, %r14d
    jz 2f
    sti
2:  callq *%rax
    cli
    cld
    movq %rax, %r15

    movq %r13, %cr3
    movq %r12, %rsp
    lgdt CONTEXT_OWN_GDTR(%rbx)
    lidt CONTEXT_OWN_IDTR(%rbx)
    movl $GDT_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    pushq $GDT_CODE64
    leaq 3f(%rip), %rax
    pushq %rax
    lretq
3:  movq %r15, %rax
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    retq

/* efi_leave(struct efi_area *area, uint64_t status): our entry point returns, in the firmware's state. */
efi_leave:
    movq %rdi, %rbx
    movq %rsi, %r12
    context_load
    movq CONTEXT_RSP(%rbx), %rsp
    context_load_cs
    efer_load
    movq %r12, %rax
    pop_firmware_registers
    retq

/*
 * Where the guest begins on the first CPU, in the firmware's state, at the frame that efi_entry has made: start the
 * image that load= names, or return EFI_SUCCESS. Its general registers are 0.
 */
efi_resume:
    leaq efi_area(%rip), %rbx
    movq AREA_LOADED(%rbx), %rcx
    xorl %eax, %eax
    testq %rcx, %rcx
    jz 1f
    movq (%rsp), %rax
    pushq %rax
    popfq /* interrupts, as an image expects them */
    movq %rsp, %rbp
    andq $-16, %rsp
    subq $32, %rsp
    xorl %edx, %edx
    xorl %r8d, %r8d
    callq *AREA_START_IMAGE(%rbx)
    movq %rbp, %rsp
1:  pop_firmware_registers
    retq

/*
 * EFI_AP_PROCEDURE: the firmware calls it on the other CPUs, RCX = the area at its physical address. It calls
 * area->ap_main(context in RDI) on our page tables and the firmware's stack. If that returns, so does the procedure.
 */
efi_ap_procedure:
    push_firmware_registers
    cli
    movq %rcx, %rbp
    movq %rsp, %r12
    subq $CONTEXT_SIZE, %rsp
    andq $-16, %rsp
    movq %rsp, %rbx
    context_save %rbx
    movq %r12, CONTEXT_RSP(%rbx)
    movq AREA_CR3(%rbp), %rax
    movq %rax, %cr3
    movq %rbx, %rdi
    callq *AREA_AP_MAIN(%rbp)
    context_load
    context_load_cs
    efer_load
    movq CONTEXT_RSP(%rbx), %rsp
/* Where the guest begins on such a CPU: the procedure returns. */
efi_ap_resume:
    pop_firmware_registers
    retq

    .section .note.GNU-stack, "", @progbits
