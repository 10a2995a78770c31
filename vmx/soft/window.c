/* Kind: shell */
/*
 * Which pages are executed only by steps.
 *
 * If only a part of the code is traced, the guest runs at full speed elsewhere: EPT forbids execution of each page that
 * may hold traced code (a guarded page), so that a fetch from it exits. Then the page is opened to this CPU, in its own
 * view, as long as it is stepped.
 */
#include "base/control.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/view.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/smp/kick.h"
#include "vmx/soft/parts.h"

/* Pages became executable that a window may include, while no CPU was traced. The machine's lock guards writes. */
static bool unguarded;

/* A page is given full speed on all CPUs only when the trace of every CPU has ended or is paused. */
static bool some_cpu_traces(void)
{
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        const struct cpu *cpu = __atomic_load_n(&machine.cpus[i], __ATOMIC_RELAXED);

        if (cpu && pt_soft_window(cpu->pt) != 0)
            return true;
    }
    return false;
}

/* Vol. 3A "Determination of Access Rights": supervisor-mode execution prevention. */
static bool smep_is_on(void)
{
    return (vmreadn(VMCS_GUEST_CR4) & CR4_SMEP) && (vmreadn(VMCS_GUEST_CR0) & CR0_PG);
}

bool soft_guards(const struct cpu *cpu, uint64_t linear, bool guarded)
{
    const uint64_t page = soft_page_of(linear);

    if (machine.config.way != PT_SWITCH_SOFT)
        return false;
    if (!some_cpu_traces()) {
        unguarded = true;
        return false;
    }
    /* Privilege levels that execute the page now, or can get there without an exit. */
    const bool kernel = guest_at_cpl0() || !smep_is_on(), user = !guest_at_cpl0() || guest_user_may_run(linear);
    return guarded || pt_soft_guards(cpu->pt, page, page + PAGE_BYTES - 1, kernel, user);
}

void soft_page_opened(struct cpu *cpu, uint64_t linear)
{
    struct soft_window *window = &soft_of(cpu)->window;

    window->open_page = soft_page_of(linear);
    window->just_opened = true;
    step_leave_open(cpu);
}

void soft_window_executed(struct soft_window *window)
{
    window->just_opened = false;
}

void soft_cr3_load(struct cpu *cpu, uint64_t value)
{
    soft_of(cpu)->window.next_cr3 = value;
}

/* Make all pages not executable: the next fetch from each exits, and code_fetched decides again whether it is guarded.
 */
static void withhold_execution(struct cpu *cpu)
{
    if (!machine.config.code_pages)
        return;
    machine_lock(cpu);
    unguarded = false;
    ept_withhold_execution();
    kick_ept_changed(cpu);
    machine_unlock(cpu);
    ept_invalidate(cpu);
}

/* The window has changed, or this CPU is traced again: executable pages may have to be guarded. */
void soft_window_update(struct cpu *cpu)
{
    const uint32_t generation = pt_soft_window(cpu->pt);

    if (generation == soft_of(cpu)->window.generation && !(generation != 0 && unguarded))
        return;
    soft_of(cpu)->window.generation = generation;
    if (generation != 0)
        withhold_execution(cpu);
}

/* Is the guest on a guarded page? Without code pages no exit says when it gets there: assume that it is. */
static bool is_on_guarded_page(struct cpu *cpu)
{
    struct soft_cpu *soft = soft_of(cpu);

    if (soft->window.just_opened || !machine.config.code_pages)
        return true;
    if (!step_has_left_open(cpu))
        return false;
    soft_start_refresh(&soft->start);
    return soft_page_of(soft->start.at.context.ip) == soft->window.open_page;
}

/* Pages stay open while steps continue. They also stay open if this CPU would not step any of them, because its trace
 * is paused or has ended while the traces of other CPUs have not. */
bool soft_window_steps(struct cpu *cpu)
{
    struct soft_window *window = &soft_of(cpu)->window;
    const uint64_t cr3 = window->next_cr3 ? window->next_cr3 : vmreadn(VMCS_GUEST_CR3);

    window->next_cr3 = 0;
    if (pt_soft_steps(cpu->pt, is_on_guarded_page(cpu), cr3))
        return true;
    if (!step_is_active(cpu) && pt_soft_steps(cpu->pt, true, cr3))
        step_forget_pages(cpu);
    return false;
}
