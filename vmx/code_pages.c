/* Kind: shell */
/*
 * W^X over guest memory: a page is written or executed, and what is executed is sent first. All here is the machine's,
 * and its lock is held.
 *
 * RW- at the start. A fetch makes the page R-X and sends it as RECORD_PAGE; a write makes it RW- again, so that the
 * next fetch sends what it has become. An instruction that writes the page it stands on would go round for ever: its
 * second fetch violation in a row opens the page wholly for this one instruction.
 *
 * Several CPUs: rights that are taken away are away on all of them before anything goes on. Each CPU's own stream tells
 * from where on it can run a new version: the RECORD_PAGE itself, or a RECORD_SEEN (vmx/summons.c).
 *
 * What devices write by DMA is seen when the guest maps the page anew (vmx/guest_map.c), not before. Not seen: a page
 * that is executed at a second linear address while it is R-X.
 */
#include "base/phys.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/map_memory.h"
#include "vmx/summons.h"
#include "vmx/turns.h"
#include "vmx/vmcs.h"

#include "base/io.h"

#define ACCESS_RIGHTS_DB (1u << 14)

static uint16_t code_mode(void)
{
    if (guest_code64())
        return 64;
    return vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DB ? 32 : 16;
}

/* Fetches always have a linear address; the page walk for one has it as well. */
static uint64_t linear_of(uint64_t gpa, uint64_t qualification)
{
    return qualification & EPT_VIOLATION_LINEAR_VALID ? vmreadn(VMCS_GUEST_LINEAR_ADDRESS) : gpa;
}

static void page_send(struct cpu *cpu, uint64_t gpa, uint64_t linear, uint64_t cr3, uint16_t flags)
{
    const struct record_page head = {.gpa = gpa,
                                     .gva = linear & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
                                     .cr3 = cr3,
                                     .mode = code_mode(),
                                     .flags = flags,
                                     .size = RECORD_PAGE_SIZE,
                                     .number = machine.pages_sent,
                                     .code_base = guest_code64() ? 0 : vmreadn(VMCS_GUEST_CS_BASE)};

    pt_record(cpu->pt, RECORD_PAGE, &head, sizeof head, phys_to_virt(gpa), RECORD_PAGE_SIZE);
    if (map_memory()) /* what devices make of it is told when it is mapped again */
        page_sums_note(&map_memory()->sent, gpa, phys_to_virt(gpa));
}

static bool is_writable(uint64_t gpa)
{
    return ept_lookup(gpa) & EPT_WRITE;
}

/* What this CPU may be called for meanwhile it does here. */
static void turn_await(struct cpu *cpu, uint64_t gpa)
{
    while (turn_is_anothers(cpu, gpa)) {
        machine_unlock(cpu);
        while (turn_is_anothers(cpu, gpa)) {
            summons_serve_waiting(cpu);
            io_pause();
        }
        machine_lock(cpu);
    }
}

/* --- violations -----------------------------------------------------------------------------------------------------
 */

/* The page as it is now, which nobody can write any more. */
static void page_freeze_and_send(struct cpu *cpu, uint64_t gpa, uint64_t linear)
{
    machine.pages_sent++;
    if (machine_has_others()) {
        ept_set_access(gpa, EPT_READ);
        summons_ept_changed(cpu);
    }
    page_send(cpu, gpa, linear, vmreadn(VMCS_GUEST_CR3), 0);
    cpu_has_seen_pages(cpu);
}

/* It was sent, and has not been written since: soft PT alone keeps it from being executed. */
static bool is_withheld(uint64_t gpa)
{
    return machine.config.way == PT_SWITCH_SOFT && !is_writable(gpa);
}

void code_page_fetched(struct cpu *cpu, uint64_t gpa, uint64_t qualification)
{
    const uint64_t linear = linear_of(gpa, qualification);
    const bool triggers = trigger_guards(gpa, linear);

    if (is_writable(gpa))
        turn_await(cpu, gpa);
    const bool was_writable = is_writable(gpa);
    if (ept_lookup(gpa) & EPT_EXECUTE) /* another CPU was faster */
        return;
    const bool stepped = soft_step_guards(cpu, linear, ept_lookup(gpa) & EPT_GUARDED);
    if ((!triggers || !trigger_fetched(cpu, gpa)) && !is_withheld(gpa))
        page_freeze_and_send(cpu, gpa, linear);
    if (was_writable)
        turn_give(cpu, gpa);
    if (cpu->written_gpa == gpa && cpu->written_rip == vmreadn(VMCS_GUEST_RIP)) {
        trigger_written(gpa);
        ept_set_access(gpa, EPT_READ | EPT_WRITE); /* it may be written by the step: the next fetch sends it again */
        if (!was_writable) /* another CPU has come to it meanwhile, and soft PT may have left it open there */
            summons_ept_changed(cpu);
        step_open_page(cpu, gpa, ept_lookup(gpa) | EPT_ACCESS_MASK);
        step_begin(cpu, NULL);
    } else if (triggers || stepped) {
        ept_set_access(gpa, EPT_READ | (stepped ? EPT_GUARDED : 0));
        step_open_page(cpu, gpa, ept_lookup(gpa) | EPT_EXECUTE);
        if (triggers)
            step_begin(cpu, NULL);
    } else {
        ept_set_access(gpa, EPT_READ | EPT_EXECUTE);
    }
    if (stepped)
        soft_step_opened(cpu, linear);
    ept_invalidate(&cpu->view); /* it may have been writable */
}

void code_page_written(struct cpu *cpu, uint64_t gpa)
{
    if (!is_writable(gpa))
        turn_await(cpu, gpa);
    if (ept_view_has_open(&cpu->view, gpa)) {
        step_close_pages(cpu);
        ept_invalidate(&cpu->view);
    }
    cpu->written_gpa = gpa;
    cpu->written_rip = vmreadn(VMCS_GUEST_RIP);
    if (is_writable(gpa))
        return;
    ept_set_access(gpa, EPT_READ | EPT_WRITE);
    summons_ept_changed(cpu);
    ept_invalidate(&cpu->view);
    trigger_written(gpa);
    turn_give(cpu, gpa);
}

/* Nobody can tell when, only that it was before the guest mapped it. All CPUs must hear of it before they run it. */
__attribute__((noinline)) bool code_page_refilled(struct cpu *cpu, uint64_t gpa, uint64_t linear, uint64_t cr3)
{
    if (is_withheld(gpa) && !(ept_lookup(gpa) & EPT_EXECUTE))
        ept_set_access(gpa, EPT_READ | EPT_WRITE);
    if (!(ept_lookup(gpa) & EPT_EXECUTE)) /* the next fetch sends it */
        return false;
    machine.pages_sent++;
    summons_ept_changed(cpu);
    page_send(cpu, gpa, linear, cr3, RECORD_PAGE_REFILLED);
    cpu_has_seen_pages(cpu);
    return true;
}

/* In real mode, where linear addresses are physical ones: the page that this CPU stands on runs in another code
 * segment.
 */
void code_page_rebased(struct cpu *cpu)
{
    const uint64_t linear = vmreadn(VMCS_GUEST_CS_BASE) + vmreadn(VMCS_GUEST_RIP);
    const uint64_t gpa = linear & ~(EPT_PAGE_SIZE - 1);

    machine_lock(cpu);
    if (ept_lookup(gpa) & EPT_EXECUTE) { /* else a violation tells of it */
        machine.pages_sent++;
        page_send(cpu, gpa, linear, vmreadn(VMCS_GUEST_CR3), 0);
        cpu_has_seen_pages(cpu);
        ept_invalidate(&cpu->view);
    }
    machine_unlock(cpu);
}
