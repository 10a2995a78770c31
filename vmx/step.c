/* Kind: shell */
/*
 * Single steps: the guest executes one instruction with pages opened to it, in this CPU's view of the EPT only; then
 * the pages are closed.
 *
 * Source: SDM "Monitor Trap Flag". If an interrupt is delivered instead of the instruction, or another exit comes
 * first, the pages are closed as well, and the instruction will exit again.
 */
#include "vmx/step.h"

#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/fail_stop.h"
#include "vmx/guest.h"

void step_close_pages(struct cpu *cpu)
{
    soft_pages_closed(&cpu->soft);
    ept_view_close(&cpu->view);
}

void step_forget_pages(struct cpu *cpu)
{
    if (!soft_has_open_page(&cpu->soft))
        return;
    machine_lock(cpu);
    step_close_pages(cpu);
    machine_unlock(cpu);
    ept_invalidate(&cpu->view);
}

/* The lock may be held nearly all the time, by a CPU that changes the EPT in a loop: take it only to close something.
 */
void step_follow_pages(struct cpu *cpu)
{
    if (!ept_view_is_guarded(&cpu->view))
        step_forget_pages(cpu);
}

void step_open_page(struct cpu *cpu, uint64_t gpa, uint64_t leaf)
{
    uint64_t *entry = ept_view_open(&cpu->view, gpa);

    /* Close those that soft PT has left open; the instruction's own pages will exit again. */
    if (!entry && soft_has_open_page(&cpu->soft)) {
        step_close_pages(cpu);
        ept_invalidate(&cpu->view);
        entry = ept_view_open(&cpu->view, gpa);
    }
    if (!entry)
        fail_stop(cpu, "one instruction accesses more guarded pages than a view can open");
    *entry = leaf; /* rights are only added: the violation has invalidated the cached translation of this access */
}

void step_begin(struct cpu *cpu, step_done *done)
{
    cpu->step.active = true;
    if (done)
        cpu->step.done = done;
    guest_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, true);
}

void step_cancel(struct cpu *cpu)
{
    cpu->step.active = false;
    cpu->step.done = NULL;
    if (cpu->view.nr_pages > cpu->view.kept_pages) {
        machine_lock(cpu);
        step_close_pages(cpu);
        machine_unlock(cpu);
    }
    guest_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, soft_is_stepping(&cpu->soft));
}

static void step_end(struct cpu *cpu, bool interrupted)
{
    step_done *done = cpu->step.done;

    step_cancel(cpu);
    if (done)
        done(cpu, interrupted);
    ept_invalidate(&cpu->view);
}

void step_leave(struct cpu *cpu, uint32_t reason)
{
    if (cpu->step.active && reason != EXIT_REASON_MONITOR_TRAP_FLAG && reason != EXIT_REASON_EPT_VIOLATION)
        step_end(cpu, true);
}

enum exit_action step_exit(struct cpu *cpu)
{
    if (cpu->step.active) /* else it is soft PT's step */
        step_end(cpu, false);
    return EXIT_RETRY;
}
