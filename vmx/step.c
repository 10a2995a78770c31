/* Kind: shell */
/*
 * Single steps: the guest executes one instruction with pages open to it, in this CPU's view of the EPT alone; then
 * they are closed.
 *
 * Source: SDM "Monitor Trap Flag". An interrupt may be delivered instead of the instruction, or another exit come
 * first: the pages are closed then as well, and the instruction will be back.
 */
#include "vmx/cpu.h"
#include "vmx/ept.h"

void step_close_pages(struct cpu *cpu)
{
    cpu->soft.guarded = 0;
    ept_view_close(&cpu->view);
}

void step_forget_pages(struct cpu *cpu)
{
    if (cpu->soft.guarded == 0)
        return;
    machine_lock(cpu);
    step_close_pages(cpu);
    machine_unlock(cpu);
    ept_invalidate(&cpu->view);
}

/* Who summons all the time holds the lock nearly all the time: it is taken only where something is to be closed. */
void step_follow_pages(struct cpu *cpu)
{
    if (!ept_view_is_guarded(&cpu->view))
        step_forget_pages(cpu);
}

void step_open_page(struct cpu *cpu, uint64_t gpa, uint64_t leaf)
{
    uint64_t *entry = ept_view_open(&cpu->view, gpa);

    if (!entry &&
        cpu->soft.guarded) { /* those that soft PT has left open; the instruction will ask for its own again */
        step_close_pages(cpu);
        ept_invalidate(&cpu->view);
        entry = ept_view_open(&cpu->view, gpa);
    }
    if (!entry)
        fail_stop(cpu, "one instruction touches more guarded pages than there can be");
    *entry = leaf; /* rights are only added: the violation has dropped what was cached for this access */
}

void step_begin(struct cpu *cpu, step_done *done)
{
    cpu->stepping = true;
    if (done)
        cpu->stepped = done;
    cpu_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, true);
}

void step_cancel(struct cpu *cpu)
{
    cpu->stepping = false;
    cpu->stepped = NULL;
    if (cpu->view.nr_pages > cpu->view.kept_pages) {
        machine_lock(cpu);
        step_close_pages(cpu);
        machine_unlock(cpu);
    }
    cpu_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, cpu->soft.on);
}

static void step_end(struct cpu *cpu, bool broken_off)
{
    step_done *stepped = cpu->stepped;

    step_cancel(cpu);
    if (stepped)
        stepped(cpu, broken_off);
    ept_invalidate(&cpu->view);
}

void step_leave(struct cpu *cpu, uint32_t reason)
{
    if (cpu->stepping && reason != EXIT_REASON_MONITOR_TRAP_FLAG && reason != EXIT_REASON_EPT_VIOLATION)
        step_end(cpu, true);
}

enum exit_action step_exit(struct cpu *cpu)
{
    if (cpu->stepping) /* else the step is soft PT's */
        step_end(cpu, false);
    return EXIT_RETRY;
}
