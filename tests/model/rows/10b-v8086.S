/*
 * Rows 10b and 13c in virtual-8086 mode, where CPL is 3 (36.2.4.1): with USER only, IRET to it sets ContextEn and an
 * exception clears it. Payloads are RIP, here without the segment's base.
 *
 * mapped: 0
 * libipt: no truth (it has RIP, the truth linear addresses)
 * perf: packets (16-bit code)
 *
 * expect:
 * cbr *
 * mode.exec
 * tip.pge v8086_rip
 * fup faults_rip
 * tip.pgd
 */
#include "row.h"
#include "legacy.inc"

    ROW
    LEGACY_DIRECTORIES
    movb $0x87, 0x73000 /* user-accessible */
    TASKS
    LEGACY_MODE CR4_PSE, 0x73000
    TASKS_TR 6
    movl $0x6c000, tss_a + 4 /* ESP0, SS0 */
    movl $DATA32, tss_a + 8
    movl $back, %eax
    andl $0xffff, %eax
    orl $CODE32 << 16, %eax
    movl %eax, task_idt + 6 * 8
    movl $back, %eax
    movw $0xee00, %ax
    movl %eax, task_idt + 6 * 8 + 4
    LEGACY_TRACE_ON CTL_DEFAULT & ~CTL_OS
    pushl $0 /* GS, FS, DS, ES */
    pushl $0
    pushl $0
    pushl $0
    pushl $0x1000 /* SS:ESP, EFLAGS.VM, CS:EIP */
    pushl $0xf000
    pushl $0x20002
    pushl $0x1000
    pushl $v8086_rip
    iret
    .code16
v8086:
    nop
faults:
    ud2
    .code32
back:
    LEGACY_TRACE_OFF
    movl $DATA32, %eax
    movl %eax, %ds
    movl %eax, %es
    LONG_MODE
    TASKS_END
    ret
    .set task, 0 /* not used */
    .set v8086_rip, v8086 - 0x10000
    .set faults_rip, faults - 0x10000
    ROW_END
