/*
 * VM exits and VM entries: the only header of vmx/exit/ that other files include.
 *
 *   dispatch.c        from the exit table to a handler, and back into the guest
 *   trace_switch.c    the last step before VM entry: tracing on
 *   poll.c            how often the preemption timer makes root mode run
 *   startup.c         INIT and SIPI
 *   exception.c       NMIs, and page faults that are reflected to the guest
 *   violation.c       EPT violations: for which reason a page lacks the permission
 *   cpuid.c, cr.c, io_instruction.c, msr.c, vmcall.c
 *                     instructions that root mode executes for the guest, as vmx/policy/ says
 *   io_exit.c, io_string.c
 *                     exits of I/O instructions; the memory of INS and OUTS
 *   task_switch.c     hardware task switches; task_state.c (core) has the formats of the TSS
 */
#ifndef VMX_EXIT_EXIT_H
#define VMX_EXIT_EXIT_H

#include <stdbool.h>

struct cpu;

/* Into the current VMCS, which vmcs_setup has filled in: the controls that exits change as the guest runs. */
void exit_setup(struct cpu *cpu);

/* The first VM entry of a prepared CPU. first: at the guest's entry point; else in the wait-for-SIPI state. */
_Noreturn void vmx_start(struct cpu *cpu, bool first);

#endif
