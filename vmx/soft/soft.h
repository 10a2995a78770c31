/*
 * Soft PT's steps: the guest executes one instruction at a time, and this room reports to pt/ what each has done. This
 * is the only header of vmx/soft/ that other files include.
 *
 * The monitor trap flag causes an exit after each instruction, and after each event that is delivered instead. The
 * guest cannot see it: RFLAGS.TF, debug registers and exceptions remain its own.
 *
 *   step.c         before the VM entry and after the VM exit of a step
 *   position.c     where the guest is
 *   instruction.c  the instruction at the step's start
 *   outcome.c      was the instruction executed, or an event delivered?
 *   pacing.c       delays interrupts so that the guest makes progress
 *   window.c       which pages are executed only by steps
 */
#ifndef VMX_SOFT_SOFT_H
#define VMX_SOFT_SOFT_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/ept/step.h"

/* Last before VM entry: single-step the guest if pt/ requires it. */
void soft_enter(struct cpu *cpu);

/* First after a VM exit of a step, while soft_is_stepping: report the outcome to pt/. trapped: the monitor trap flag
 * caused the exit. */
void soft_leave(struct cpu *cpu, bool trapped);

/* The CPU waits for a SIPI: nothing is stepped. */
void soft_drop(struct cpu *cpu);

static inline bool soft_is_stepping(const struct cpu *cpu)
{
    return step_is_each(cpu);
}

/* VM entry has failed because of the guest's state. true: the cause was IA32_DEBUGCTL.BTF, which this machine does not
 * support; it is cleared, not used again, and VM entry can be retried. */
bool soft_entry_refused(struct cpu *cpu);

/* The guest fetches from the page of linear, which was guarded before or not: is it guarded now, so that all traced
 * CPUs execute it only by steps? The machine's lock is held. */
bool soft_guards(const struct cpu *cpu, uint64_t linear, bool guarded);

/* The guarded page of linear was opened to this CPU. It is closed when the guest leaves it and is not traced. */
void soft_page_opened(struct cpu *cpu, uint64_t linear);

/* The guest's next instruction loads CR3 with value. */
void soft_cr3_load(struct cpu *cpu, uint64_t value);

#endif
