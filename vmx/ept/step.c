/* Kind: shell */
/*
 * Single steps: the guest executes one instruction with pages opened to it, in this CPU's view of the EPT only; then
 * the pages are closed.
 *
 * Source: SDM "Monitor Trap Flag". If an interrupt is delivered instead of the instruction, or another exit comes
 * first, the pages are closed as well, and the instruction will exit again.
 */
#include "vmx/ept/step.h"

#include "base/control.h"
#include "vmx/cpu/exit_reasons.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/proc_control.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/view.h"

void step_close_pages(struct cpu *cpu)
{
    step_of(cpu)->left_open = false;
    ept_view_close(cpu);
}

void step_forget_pages(struct cpu *cpu)
{
    if (!step_of(cpu)->left_open)
        return;
    machine_lock(cpu);
    step_close_pages(cpu);
    machine_unlock(cpu);
    ept_invalidate(cpu);
}

/* The lock may be held nearly all the time, by a CPU that changes the EPT in a loop: take it only to close something.
 */
void step_follow_pages(struct cpu *cpu)
{
    if (!ept_view_is_guarded(cpu))
        step_forget_pages(cpu);
}

void step_open_page(struct cpu *cpu, uint64_t gpa, uint64_t leaf)
{
    uint64_t *entry = ept_open(cpu, gpa);

    /* Close those that were left open; the instruction's own pages will exit again. */
    if (!entry && step_of(cpu)->left_open) {
        step_close_pages(cpu);
        ept_invalidate(cpu);
        entry = ept_open(cpu, gpa);
    }
    if (!entry)
        fail_stop(cpu, "one instruction accesses more guarded pages than a view can open");
    *entry = leaf; /* rights are only added: the violation has invalidated the cached translation of this access */
}

void step_each(struct cpu *cpu, bool on)
{
    step_of(cpu)->each = on;
    proc_control_set(cpu, PROC_MONITOR_TRAP_FLAG, on || step_of(cpu)->active);
}

void step_begin(struct cpu *cpu, step_done *done)
{
    step_of(cpu)->active = true;
    if (done)
        step_of(cpu)->done = done;
    proc_control_set(cpu, PROC_MONITOR_TRAP_FLAG, true);
}

void step_cancel(struct cpu *cpu)
{
    step_of(cpu)->active = false;
    step_of(cpu)->done = NULL;
    if (ept_view_has_opened(cpu)) {
        machine_lock(cpu);
        step_close_pages(cpu);
        machine_unlock(cpu);
    }
    proc_control_set(cpu, PROC_MONITOR_TRAP_FLAG, step_of(cpu)->each);
}

static void step_end(struct cpu *cpu, bool interrupted)
{
    step_done *done = step_of(cpu)->done;

    step_cancel(cpu);
    if (done)
        done(cpu, interrupted);
    ept_invalidate(cpu);
}

void step_leave(struct cpu *cpu, uint32_t reason)
{
    if (step_of(cpu)->active && reason != EXIT_REASON_MONITOR_TRAP_FLAG && reason != EXIT_REASON_EPT_VIOLATION)
        step_end(cpu, true);
}

enum exit_action step_exit(struct cpu *cpu)
{
    if (step_of(cpu)->active) /* else it is soft PT's step */
        step_end(cpu, false);
    return EXIT_RETRY;
}
