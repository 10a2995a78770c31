/*
 * The way into random code in legacy protected mode, virtual-8086 mode and real-address mode, and back. The guest leaves
 * IA-32e mode for each attempt: paging off, IA32_EFER.LME off, paging as the attempt has it. These pages are mapped one to
 * one in each of its address spaces. Registers are exchanged at MODES_AT, where real-address mode reaches them too. The GDT
 * is enter.S's. What interrupts in real-address mode lead to is copied to REAL_AT, which is read-only then (modes_memory.c).
 */
#include "random.h"

#include "calls.inc"

#define AT(member) MODES_AT + MODES_##member

.macro PUSH_EVENT_32 vector
    .if (\vector) >= 32 || (0x60227d00 >> ((\vector) & 31) & 1) == 0
    pushl $0
    .endif
    pushl $\vector
.endm

.macro LOAD segments:vararg
    .irp segment, \segments
    movl %eax, %\segment
    .endr
.endm

    .section .pages.3, "ax"
    .globl modes_text_start, modes_text_end, modes_stubs, modes_sysenter, modes_double_fault, modes_switch, real_prepare, real_start, real_end
    .balign 4096
modes_text_start:
    .code32
modes_stubs: /* of 16 bytes for each vector */
    .set vector, 0
    .rept 256
    .balign 16
    .if vector == 2
    jmp nmi
    .endif
    PUSH_EVENT_32 vector
    jmp event
    .set vector, vector + 1
    .endr

/* In: DS and EAX as the event found them, an interrupt frame, error code and vector on the stack of CPL 0. That is the random
 * code's own if it had CPL 0: what cannot be pushed is a double fault, or another event. */
    .balign 16
event:
    pushl %ds
    pushl %eax
    movl $DATA, %eax
    LOAD ds
    popl AT(EAX)
    popl AT(DS)
    popl AT(VECTOR)
    popl AT(ERROR)
    popl AT(EIP)
    popl AT(CS)
    popl AT(EFLAGS)
    movl %ecx, AT(ECX)
    movl %edx, AT(EDX)
    movl %ebx, AT(EBX)
    movl %ebp, AT(EBP)
    movl %esi, AT(ESI)
    movl %edi, AT(EDI)
    movw %es, AT(ES)
    movw %fs, AT(FS)
    movw %gs, AT(GS)
    testl $0x20000, AT(EFLAGS)      /* VM */
    jnz 2f
    testb $3, AT(CS)
    jz 1f
    popl AT(ESP)
    popl AT(SS)
    jmp leave
1:  movl %esp, AT(ESP)
    movw %ss, AT(SS)
    jmp leave
2:  .irp offset, 0, 4, 8, 12, 16, 20 /* ESP, SS, ES, DS, FS, GS */
    popl AT(ESP) + \offset
    .endr

leave:
    movl $DATA, %eax
    LOAD ss
    movl $modes_stack_top, %esp
    LOAD ds, es, fs, gs
    pushl $2
    popfl
    movl %cr2, %eax
    movl %eax, AT(CR2)
    movl %dr6, %eax
    movl %eax, AT(DR6)
    movl %cr0, %eax
    andl $0x7fffffff, %eax          /* PG */
    movl %eax, %cr0
    movl own_cr4, %eax
    movl %eax, %cr4
    movl own_cr3_modes, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx          /* IA32_EFER */
    rdmsr
    orl $0x101, %eax                /* LME, SCE */
    wrmsr
    movl own_cr0, %eax
    movl %eax, %cr0
    lidt long_idtr
    ljmp $CODE64, $1f
    .code64
1:  movl $DATA, %eax
    LOAD ss, ds, es
    movq own_rsp_modes(%rip), %rsp
    movl $TASK, %eax
    ltr %ax
    movl $LOCAL, %eax
    lldt %ax
    cld
    POP_KEPT
    ret

    .code32
/* The task gate of #DF: the state is in modes_tss. */
modes_double_fault:
    popl AT(ERROR)
    movl $VECTOR_DOUBLE_FAULT, AT(VECTOR)
    jmp leave

/* See enter.S. */
nmi:
    pushl %ds
    pushl %eax
    movl $DATA, %eax
    LOAD ds
    popl nmi_registers
    popl nmi_registers + 4
    popl nmi_registers + 8
    popl nmi_registers + 12
    pushl nmi_registers + 12
    pushl nmi_registers + 8
    cmpw $CODE32, nmi_registers + 12
    je 1f
    pushl $0
    pushl $2
    pushl nmi_registers + 4
    movl nmi_registers, %eax
    popl %ds
    jmp event
1:  movb $0xff, %al
    outb %al, $PIT_COUNTER
    outb %al, $PIT_COUNTER
    movl nmi_registers, %eax
    movw nmi_registers + 4, %ds
    iretl

/* SYSENTER saves neither CS:EIP nor SS:ESP. */
modes_sysenter:
    pushl $0
    pushl $0
    pushfl
    pushl $3
    pushl $0
    pushl $0
    pushl $VECTOR_SYSENTER
    jmp event

/* --- in: what follows is called in 64-bit mode --- */
    .code64
modes_switch:
    PUSH_KEPT
    movq %rsp, own_rsp_modes(%rip)
    movq %cr0, %rax
    movl %eax, own_cr0(%rip)
    movq %cr3, %rax
    movl %eax, own_cr3_modes(%rip)
    movq %cr4, %rax
    movl %eax, own_cr4(%rip)
    movq %rsp, %rcx
    pushq $DATA
    pushq %rcx
    pushfq
    pushq $CODE32
    pushq $1f
    iretq                           /* after an NMI too: it ends the blocking of the next one */
    .code32
1:  movl $DATA, %eax
    LOAD ss
    movl $modes_stack_top, %esp
    LOAD ds, es, fs, gs
    movl %cr0, %eax
    andl $0x7fffffff, %eax
    movl %eax, %cr0
    movl $0xc0000080, %ecx
    rdmsr
    andl $~0x101, %eax
    wrmsr
    movl AT(CR3), %eax
    movl %eax, %cr3
    movl AT(CR4), %eax
    movl %eax, %cr4
    lidt legacy_idtr
    movl AT(CR0), %eax
    movl %eax, %cr0
    movl $LOCAL, %eax
    lldt %ax
    movl $TASK_32, %eax
    ltr %ax
    movl AT(ECX), %ecx
    movl AT(EDX), %edx
    movl AT(EBX), %ebx
    movl AT(EBP), %ebp
    movl AT(ESI), %esi
    movl AT(EDI), %edi
    cmpl $1, AT(HOW)
    jb same_level
    je outer_level
    ljmp $CODE16_REAL, $0

same_level:
    movw AT(ES), %es
    movw AT(FS), %fs
    movw AT(GS), %gs
    pushl AT(EFLAGS)
    movl AT(EAX), %eax
    popfl
    lss %cs:AT(ESP), %esp
    movw %cs:AT(DS), %ds
    ljmp *%cs:AT(EIP)

/* Virtual-8086 mode too: IRET loads the four data segments then, which are not selectors for MOV. */
outer_level:
    movl AT(EAX), %eax
    movl $AT(EIP), %esp
    testl $0x20000, AT(EFLAGS)
    jnz 1f
    movw AT(ES), %es
    movw AT(FS), %fs
    movw AT(GS), %gs
    movw AT(DS), %ds
1:  iretl

/* --- real-address mode. A page that flat code does not execute: else no VM exit shows that this is not flat --- */
    .balign 4096
    .code16
real_prepare: /* CODE16_REAL's base is here */
    movw $DATA16_REAL, %ax
    LOAD ds, es, fs, gs
    movw $STACK16_REAL, %ax
    LOAD ss
    lidtl %cs:(real_idtr - real_prepare)
    movl %cr0, %eax
    andl $~1, %eax
    movl %eax, %cr0
    ljmp $(REAL_AT >> 4), $(real_go - real_start)

real_idtr:
    .word 0x3ff
    .long real_vectors
/* Each vector has another CS for the same handler, which knows it by that: what is below 1 MiB is short, since random code may
 * jump into it. */
real_vectors:
    .set vector, 0
    .rept 256
    .if vector == 2
    .word real_nmi - real_start + 16 * vector
    .else
    .word real_event - real_start + 16 * vector
    .endif
    .word (REAL_AT >> 4) - vector
    .set vector, vector + 1
    .endr

/* To REAL_AT. The state is where DS leads: no AT. */
    .balign 16
real_start:
real_nmi:
    pushw %ax
    pushw %bp
    movw %sp, %bp
    movw 6(%bp), %ax
    popw %bp
    subw $(REAL_AT >> 4) - 255, %ax
    cmpw $256, %ax
    popw %ax
    jae real_event
    pushw %ax
    movb $0xff, %al
    outb %al, $PIT_COUNTER
    outb %al, $PIT_COUNTER
    popw %ax
    iretw
real_event:
    pushw %ds
    pushl %eax
    movw $MODES_AT >> 4, %ax
    movw %ax, %ds
    popl MODES_EAX
    popw MODES_DS
    popw MODES_EIP
    popw MODES_CS
    popw MODES_EFLAGS
    movw $REAL_AT >> 4, MODES_VECTOR
    movw %cs, %ax
    subw %ax, MODES_VECTOR
    movl %ecx, MODES_ECX
    movl %edx, MODES_EDX
    movl %ebx, MODES_EBX
    movl %ebp, MODES_EBP
    movl %esi, MODES_ESI
    movl %edi, MODES_EDI
    movl %esp, MODES_ESP
    movw %ss, MODES_SS
    movw %es, MODES_ES
    movw %fs, MODES_FS
    movw %gs, MODES_GS
    movw %ds, %ax
    movw %ax, %ss
    movl $0x1000, %esp
    pushfl
    popl %eax
    shrl $16, %eax
    movw %ax, MODES_EFLAGS + 2
    cli
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $CODE32, $real_left
real_go:
    movw $MODES_AT >> 4, %ax
    movw %ax, %ds
    lssl MODES_ESP, %esp
    pushl MODES_EFLAGS
    popfl
    movw MODES_ES, %es
    movw MODES_FS, %fs
    movw MODES_GS, %gs
    pushw MODES_CS
    pushw MODES_EIP
    movl MODES_EAX, %eax
    movw MODES_DS, %ds
    lretw
real_end:

    .balign 4096
    .code32
real_left:
    movl $DATA, %eax
    LOAD ds
    lidt legacy_idtr
    jmp leave
modes_text_end:
    .balign 4096

    .section .pages.4, "aw"
    .globl modes_data_start, modes_data_end, modes_idt, modes_tss, modes_double_fault_tss, modes_stack_top
    .balign 4096
modes_data_start:
modes_idt:
    .zero 8 * 256
modes_tss:
    .zero MODES_TSS_BYTES
    .balign 128
modes_double_fault_tss:
    .zero 128
legacy_idtr:
    .word 8 * 256 - 1
    .long modes_idt
long_idtr:
    .word 16 * 256 - 1
    .long random_idt
own_cr0:
    .long 0
own_cr3_modes:
    .long 0
own_cr4:
    .long 0
    .balign 8
own_rsp_modes:
    .quad 0
nmi_registers:
    .zero 16
    .zero 1024
    .balign 16
modes_stack_top:
    .balign 4096
modes_data_end:

    .section .note.GNU-stack, "", @progbits
