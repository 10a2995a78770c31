/*
 * What a row's source is written with; README.md shows a row. For the assembler: all rows are built with -DROW_NAME.
 */
#ifndef ROW_H
#define ROW_H

#include "places.h"

#define ROW_STRING_(x) #x
#define ROW_STRING(x) ROW_STRING_(x)

/* The row is a function; it may change any register but RSP. */
.macro ROW
    .section .rows, "a"
    .quad row_start, row_end, 1f
    .section .rodata
1:  .asciz ROW_STRING(ROW_NAME)
    .text
    .balign 16
row_start:
    .code64
.endm

.macro ROW_END
    ret
row_end:
    .section .note.GNU-stack, "", @progbits
.endm

.macro SET_MSR msr, value:vararg
    movq $(\value), %rax
    movq %rax, %rdx
    shrq $32, %rdx
    movl $\msr, %ecx
    wrmsr
.endm

/* ADDRn covers the code from first to the instruction before end: two labels. */
.macro RANGE n, first, end
    xorl %edx, %edx
    movl $(RTIT_ADDR0_A + 2 * \n), %ecx
    movl $\first, %eax
    wrmsr
    incl %ecx
    movl $\end - 1, %eax
    wrmsr
.endm

/* Set IA32_RTIT_CTL; the label, "on" in TRACE_ON, is that of the next instruction, to which TIP.PGE points. */
.macro TRACE_ON_AT label, ctl:vararg
    movq $(\ctl), %rax
    movq %rax, row_ctl
    movq %rax, %rdx
    shrq $32, %rdx
    movl $RTIT_CTL, %ecx
    wrmsr
\label:
.endm
.macro TRACE_ON ctl:vararg
    .ifb \ctl
    TRACE_ON_AT on, CTL_DEFAULT
    .else
    TRACE_ON_AT on, \ctl
    .endif
.endm

/* Clear IA32_RTIT_CTL; the label is that of the WRMSR, to which FUP points. */
.macro TRACE_OFF label=off
    xorl %eax, %eax
    xorl %edx, %edx
    movl $RTIT_CTL, %ecx
\label:
    wrmsr
.endm

/* A handler for a vector: an interrupt gate that user code may use. */
.macro GATE vector, handler
    movl $\vector, %edi
    movl $\handler, %esi
    call row_gate
.endm

/* Go to label with another CS and stack, by IRETQ. at names the label of the IRETQ itself. */
.macro IRET_TO cs, ss, label, at=iret, rflags=2
    pushq $\ss
    pushq $USER_STACK
    pushq $\rflags
    pushq $\cs
    pushq $\label
\at:
    iretq
.endm

/* In memory, the operand of a far JMP or CALL by way of name to label. */
.macro FAR_POINTER name, label
    .data
    .balign 8
\name:
    .long \label
    .word CODE64
    .text
.endm

.macro NOPS count:vararg
    .rept \count
    nop
    .endr
.endm

/* An indirect JMP, whose target is in memory, to the next instruction, which gets the label. */
.macro JUMP_BY_MEMORY label
    jmp *pointer_to_\label
    .data
    .balign 8
pointer_to_\label:
    .quad \label
    .text
\label:
.endm

/* CR4.PCIDE. */
.macro PCIDS_ON
    movq %cr4, %rax
    orl $1 << 17, %eax
    movq %rax, %cr4
.endm
.macro PCIDS_OFF
    movl $TABLES, %eax
    movq %rax, %cr3
    movq %cr4, %rax
    andl $~(1 << 17), %eax
    movq %rax, %cr4
.endm

/* SYSCALL from 64-bit user mode goes to label with IF = 0: IA32_STAR, IA32_LSTAR, IA32_FMASK. */
.macro SYSCALL_TO label
    SET_MSR 0xc0000081, (0x2b << 48) | (0x18 << 32)
    SET_MSR 0xc0000082, \label
    SET_MSR 0xc0000084, 0x200
.endm

/* Add "report VALUE" to what the row is checked for. Not while traced. */
.macro REPORT value
    movq \value, %rdi
    call row_report
.endm

/* IA32_RTIT_* as a report. */
.macro REPORT_MSR msr
    movl $\msr, %ecx
    rdmsr
    shlq $32, %rdx
    orq %rdx, %rax
    REPORT %rax
.endm

/* The low byte of IA32_RTIT_STATUS as a report: FilterEn 1, ContextEn 2, TriggerEn 4, Error 10H, Stopped 20H. */
.macro REPORT_STATUS
    movl $RTIT_STATUS, %ecx
    rdmsr
    movzbl %al, %eax
    REPORT %rax
.endm

/* The target in a TraceStop range: report whether tracing stopped. */
.macro STOP_TARGET
target:
    REPORT_STATUS
    TRACE_OFF
.endm

/* Make an interrupt with that vector pending; it is delivered after the instruction that follows STI. */
.macro INTERRUPT_WAITS vector
    movl $0xfee00300, %eax
    movl $0x44000 + \vector, (%rax) /* to self, fixed */
.endm

.macro END_OF_INTERRUPT
    movl $0xfee000b0, %eax
    movl $0, (%rax)
.endm
.macro INTERRUPT_HANDLER label
\label:
    END_OF_INTERRUPT
    iretq
.endm

/* A write to port B2H causes an SMI: PIIX4, its register 58H in PCI configuration space. EAX = 1 for OUT. */
.macro SMI_BY_PORT
    movl $0x80000b58, %eax
    movl $0xcf8, %edx
    outl %eax, %dx
    movl $0x02000000, %eax
    movl $0xcfc, %edx
    outl %eax, %dx
    movl $1, %eax
.endm

/* INIT to APIC 0, this processor: the ROM starts again and runs the next row. RBX is the ICR's address. */
.macro INIT_TO_SELF
    movl $0x4500, (%rbx)
here:
    nop
    TRACE_OFF
    ret
.endm

/* Before the row goes to user mode, and in the handler by which it comes back. */
.macro KEEP_STACK
    movq %rsp, row_stack
.endm
.macro BACK_TO_STACK
    movl $DATA64, %eax
    movl %eax, %ss
    movq row_stack, %rsp
.endm
.macro USER_END label
\label:
    BACK_TO_STACK
    TRACE_OFF
.endm

/* VMX operation with a VMCS, vmx.c. VMLAUNCH goes to guest with CR3 = OTHER_TABLES, a VM exit to host with the stack as
 * it is here. A row that starts VMX ends it. */
.macro VMX_START guest, host
    movl $\guest, %edi
    movl $\host, %esi
    movq %rsp, %rdx
    call row_vmx_start
.endm
.macro VMX_END
    vmxoff
.endm

/* The operands of VMPTRLD and VMXON, for the regions that row_vmx_start uses. */
.macro VMX_POINTERS
    .balign 8
vmcs_pointer:
    .quad 0x401000
vmxon_pointer:
    .quad 0x400000
.endm

/* How most rows end: VM entry, a guest whose VMCALL (at the label exits) causes a VM exit, and the host at label host. */
.macro GUEST_ENTRY_AND_EXIT
    vmlaunch
host:
    HOST_END
    GUEST
.endm
.macro GUEST_ENTRY_AND_EXIT_UNTRACED /* the host is not traced */
    vmlaunch
host:
    VMX_END
    ret
    GUEST
.endm
.macro HOST_END
    TRACE_OFF
    VMX_END
    ret
.endm
.macro HOST_REPORTS_STATUS
host:
    REPORT_STATUS
    HOST_END
.endm
.macro GUEST
guest:
    nop
exits:
    vmcall
.endm

.macro VMWRITE field, value:vararg
    movl $\field, %edi
    movq $(\value), %rsi
    call row_vmwrite
.endm
/* Bits of a control field. */
.macro VM_CONTROL_SET field, bits:vararg
    movl $\field, %edi
    vmread %rdi, %rsi
    orq $(\bits), %rsi
    call row_vmwrite
.endm
#define VM_SECONDARY 0x401e
#define VM_EXIT_CONTROLS 0x400c
#define VM_ENTRY_CONTROLS 0x4012

/* MSR lists of one entry, IA32_RTIT_CTL: loaded by VM entries, loaded by VM exits. */
.macro VM_ENTRY_LOADS_CTL ctl:vararg
    movq $RTIT_CTL, 0x402000
    movq $(\ctl), %rax
    movq %rax, 0x402008
    VMWRITE 0x200a, 0x402000
    VMWRITE 0x4014, 1
.endm
.macro VM_EXIT_LOADS_CTL ctl:vararg
    movq $RTIT_CTL, 0x402010
    movq $(\ctl), %rax
    movq %rax, 0x402018
    VMWRITE 0x2008, 0x402010
    VMWRITE 0x4010, 1
.endm

/* The VM-entry control "load IA32_RTIT_CTL" and the VM-exit control "clear IA32_RTIT_CTL". */
.macro VM_ENTRY_LOADS_CTL_FIELD ctl:vararg
    VM_CONTROL_SET VM_ENTRY_CONTROLS, 1 << 18
    VM_CONTROL_SET VM_EXIT_CONTROLS, 1 << 25
    VMWRITE 0x2814, \ctl
.endm

/* One instruction that may fault: reports "no fault" or "fault VECTOR", and continues after it. */
.macro TRY instruction:vararg
    movq $777f, row_fixup
    \instruction
777:
    call row_tried
.endm

#endif
