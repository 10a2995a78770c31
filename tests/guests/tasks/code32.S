/* What tasks.c has done in 32-bit protected mode: each story is a few task switches, and logs what it sees. */
#include "tasks.h"

#define MAIN_EIP tss_page + 0x20 /* TSS_MAIN is the first */
#define APIC_EOI 0xfee000b0
#define APIC_SPURIOUS 0xfee000f0
#define APIC_ICR 0xfee00300
#define IPI_FIXED_50 0x4050 /* to this CPU, whose APIC's ID is 0 */
#define IPI_NMI 0x4400

    .text
    .code32

/* --- the log --- */

log_eax:
    pushl %ebx
    movl task_logged, %ebx
    movl %eax, task_log(, %ebx, 4)
    incl %ebx
    andl $LOG_ENTRIES - 1, %ebx
    movl %ebx, task_logged
    popl %ebx
    ret

.macro LOG what:vararg
    movl \what, %eax
    call log_eax
.endm

/* All that a task switch loads. DS must do. */
log_task:
    call log_eax
    LOG %ecx
    LOG %edx
    LOG %ebx
    LOG %esp
    LOG %ebp
    LOG %esi
    LOG %edi
    pushfl
    popl %eax
    call log_eax
    LOG %cs
    LOG %ss
    LOG %ds
    LOG %es
    LOG %fs
    LOG %gs
    xorl %eax, %eax
    str %ax
    call log_eax
    sldt %ax
    call log_eax
    LOG %cr0
    LOG %cr3
    LOG %dr7
    ret

/* --- the stories --- */

    .globl story_call, story_jump, story_gate, story_undefined, story_error, story_interrupt, story_nmi, story_double
    .globl story_trapped, story_narrow, story_user, story_v86, story_far
story_call:
    lcall $TSS_CALLED, $0
    call log_task
    clts
    lcall $TSS_CALLED, $0
    call log_task
    jmp task_end

story_jump:
    ljmp $TSS_JUMPED, $0
    call log_task
    ljmp $TSS_JUMPED, $0
    call log_task
    jmp task_end

story_gate:
    int $0x30
    call log_task
    lcall $TASK_GATE, $0
    call log_task
    jmp task_end

story_undefined:
    ud2
    call log_task
    ud2
    jmp task_end

story_error:
    movl $0x1238, %eax
    movl %eax, %fs
    call log_task
    movl $0x4568, %eax
    movl %eax, %gs
    call log_task
    jmp task_end

story_interrupt:
    movl $0x1ff, APIC_SPURIOUS
    movl $0, APIC_ICR + 0x10
    movl $IPI_FIXED_50, APIC_ICR
    sti
    hlt
    cli
    call log_task
    jmp task_end

story_nmi:
    movl $0x1ff, APIC_SPURIOUS
    movl $0, APIC_ICR + 0x10
    movl $IPI_NMI, APIC_ICR
    nop
    nop
    nop
    call log_task
    LOG nmis
    jmp task_end

story_double:
    int $0x31 /* not present, and what says so is no gate */

story_trapped:
    ljmp $TSS_TRAPPED, $0

story_narrow:
    lcall $TSS_NARROW, $0
    call log_task
    movl $0x1238, %eax
    movl %eax, %fs
    lcall $TSS_NARROW, $0
    call log_task
    jmp task_end

story_user:
    ljmp $TSS_USER, $0

story_v86:
    ljmp $TSS_V86, $0

story_far: /* no task: far returns on a stack of 16 bits, and to another stack's mode */
    movl %esp, %ebp
    movl $STACK16, %eax
    movl %eax, %ss
    movl $0xabcd0100, %esp
    pushl $CODE32
    pushl $1f
    lret
1:  movl $DATA, %eax
    movl %eax, %ss
    movl %ebp, %esp
    .rept 4 /* GS to ES */
    pushl $0x30
    .endr
    pushl $0x100 /* SS */
    pushl $0x800
    pushl $0x23002 /* VM, IOPL 3 */
    pushl $0
    pushl $TASK_V86_AT
    iret

/* --- the other tasks --- */

    .globl task_called, task_jumped, task_event, task_error, task_narrow, task_narrow_error, task_trapped, task_user, task_double
task_called:
    call log_task
    clts
    iret
    jmp task_called

task_jumped:
    call log_task
    ljmp $TSS_MAIN, $0
    jmp task_jumped

task_event: /* an interrupt, an NMI, or #UD */
    call log_task
    movl $0, APIC_EOI
    cmpl $story_undefined, MAIN_EIP
    jb 1f
    cmpl $story_error, MAIN_EIP
    jae 1f
    addl $2, MAIN_EIP /* UD2 */
    jmp 2f
1:  cmpl $story_nmi, MAIN_EIP
    jb 2f
    incl nmis
    cmpl $2, nmis
    jae 2f
    movl $IPI_NMI, APIC_ICR /* it waits for IRET */
    nop
    nop
    LOG nmis
2:  iret
    jmp task_event

task_error:
    popl %eax
    call log_task
    addl $2, MAIN_EIP
    iret
    jmp task_error

task_double:
    call log_task
    popl %eax
    call log_eax
    jmp task_end

task_trapped:
    nop
    jmp task_end

task_user:
    int $0x41
    lcall $TASK_GATE, $0
    int $0x42

    /* A page of its own: a code segment's base is known of whole pages. */
    .code16
    .balign 4096
    .globl code16
code16:
task_narrow: /* no near branch: packets with linear addresses do not contain the segment's base */
    .rept 2
    pushl %eax
    addr32 movl %ebx, task_log
    addr32 incl task_logged
    popl %eax
    iretw
    .endr
task_narrow_error:
    popw %ax
    addr32 movw %ax, task_log + 4
    addr32 incl task_logged
    addr32 addl $2, MAIN_EIP
    iretw
    .balign 4096
    .code32

/* --- handlers: what came, in which task; then it is over --- */

    .globl handlers, handler_user, handler_end
    .balign HANDLER_BYTES
handlers:
    .set vector, 0
    .rept 32
    .balign HANDLER_BYTES
    .if (0x00227d00 >> vector & 1) == 0 /* no error code */
    pushl $-1
    .endif
    pushl $vector
    jmp handler
    .set vector, vector + 1
    .endr
    .balign HANDLER_BYTES
handler:
    movl $DATA, %eax
    movl %eax, %ds
    call log_task
    LOG (%esp)   /* vector */
    LOG 4(%esp)  /* error code */
    LOG 8(%esp)  /* EIP, CS, EFLAGS */
    LOG 12(%esp)
    LOG 16(%esp)
    LOG %cr2
    LOG %dr6
    jmp task_end

handler_user:
    pushl %ds
    movl $DATA, %eax
    movl %eax, %ds
    call log_task
    popl %ds
    iret

handler_end:
    movl $DATA, %eax
    movl %eax, %ds
    call log_task
    jmp task_end

    .data
    .balign 4
    .globl nmis
nmis:
    .long 0

    .section .note.GNU-stack, "", @progbits
