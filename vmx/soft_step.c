/* Kind: shell */
/*
 * Source: SDM "Monitor Trap Flag" (25.5.2); "Priority Among Concurrent Events" (6.9).
 */
#include "vmx/soft_step.h"

#include <string.h>

#include "base/control.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/guest.h"
#include "vmx/guest_memory.h"
#include "vmx/vmcs.h"

#define ACCESS_RIGHTS_DB (1u << 14)
#define CR3_LOW 0xfffull
#define CR3_LOW_PAE 0x1full

#define PAGE_BYTES 4096u

#define OPCODE_HLT 0xf4u
#define OPCODE_INVLPG 0x01u /* behind 0FH */
#define OPCODE_MOV_CR 0x22u /* likewise */

/* "Filtering by CR3" (36.2.4.2): only PAE's tables may begin anywhere in a page. */
static uint64_t low_bits_of_cr3(void)
{
    const bool pae = (vmreadn(VMCS_GUEST_CR4) & CR4_PAE) && !(vmread64(VMCS_GUEST_IA32_EFER) & EFER_LMA);

    return pae ? CR3_LOW_PAE : CR3_LOW;
}

static struct guest_stand stand_read(void)
{
    const bool cs_l = guest_code64();
    struct guest_stand stand = {.rip = vmreadn(VMCS_GUEST_RIP),
                                .rsp = vmreadn(VMCS_GUEST_RSP),
                                .cs_base = cs_l ? 0 : vmreadn(VMCS_GUEST_CS_BASE)};

    stand.place = (struct soft_context){.ip = cs_l ? stand.rip : (uint32_t)(stand.cs_base + stand.rip),
                                        .cr3 = vmreadn(VMCS_GUEST_CR3) & ~(cs_l ? CR3_LOW : low_bits_of_cr3()),
                                        .user = !guest_at_cpl0(),
                                        .cs_l = cs_l,
                                        .cs_d = vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DB};
    return stand;
}

uint64_t soft_step_stack(const struct guest_stand *at)
{
    if (at->place.cs_l)
        return at->rsp;
    return vmreadn(VMCS_GUEST_SS_BASE) +
           (vmread32(VMCS_GUEST_SS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DB ? at->rsp : (uint16_t)at->rsp);
}

static uint64_t page_of(uint64_t linear)
{
    return linear & ~(uint64_t)(PAGE_BYTES - 1);
}

static enum instruction_mode mode_of(const struct soft_context *place)
{
    return place->cs_l ? INSTRUCTION_64 : place->cs_d ? INSTRUCTION_32 : INSTRUCTION_16;
}

/* --- exit and entry --------------------------------------------------------------------------------------------------
 */

static void executed(struct cpu *cpu, const struct guest_stand *to)
{
    struct soft_step *step = &cpu->soft;
    const struct instruction *i = &step->instruction;

    pt_soft_executed(cpu->pt, i, &to->place);
    if (i->kind == INSTRUCTION_FAR_RETURN)
        step->handles = false;
    /* It waits: "Monitor Trap Flag" leaves open whether the exit finds it in the HLT state yet. VISIBLE: without that
     * activity state (Appendix A.6) it goes on behind HLT, as if an event of root's had come. */
    if (i->opcode == OPCODE_HLT && i->length == 1 && (msr_read(IA32_VMX_MISC) & VMX_MISC_HLT))
        vmwrite32(VMCS_GUEST_ACTIVITY_STATE, ACTIVITY_HLT);
    if (i->opcode == OPCODE_INVLPG || i->opcode == OPCODE_MOV_CR) /* among others; what follows may be elsewhere */
        step->page_va = NULL;
}

void soft_step_leave(struct cpu *cpu, bool trapped)
{
    struct soft_step *step = &cpu->soft;
    const struct guest_stand to = stand_read();
    const bool trap = step->trap_due;

    if (trap)
        soft_hold_end(step);
    /* Another exit came first: the instruction, or the event, will be back, or root does what it would have done. */
    step->settled = trapped;
    step->opened = step->opened && !trapped;
    if (!trapped && (to.rip == step->begun.rip || (vmread32(VMCS_IDT_VECTORING_INFORMATION) & EVENT_VALID)))
        return;
    if (soft_step_was_executed(cpu, &to)) {
        executed(cpu, &to);
        if (trap)
            guest_trap_set();
    } else {
        pt_soft_delivered(cpu->pt, &to.place);
        step->handles = true;
        step->owed = 0;
        step->page_va = NULL;
    }
    step->begun = to;
}

/* NULL: not within one page that is present. The page is looked for again where the guest has come to it anew, and
 * behind each event: a CPU, too, goes on with the translation that it has. */
static const uint8_t *bytes_in_page(struct soft_step *step)
{
    const struct soft_context *at = &step->begun.place;
    const uint64_t page = page_of(at->ip);

    if (at->ip - page > PAGE_BYTES - INSTRUCTION_MAX_BYTES)
        return NULL;
    if (!step->page_va || step->page != page || step->page_cr3 != at->cr3) {
        const uint64_t gpa = guest_translate(page);

        step->page = page;
        step->page_cr3 = at->cr3;
        step->page_va = guest_page(gpa);
    }
    return step->page_va ? step->page_va + (at->ip - page) : NULL;
}

static void instruction_read(struct soft_step *step)
{
    uint32_t nr = INSTRUCTION_MAX_BYTES;

    step->bytes = bytes_in_page(step);
    if (!step->bytes) {
        nr = guest_memory_read(step->copied, step->begun.place.ip, nr);
        step->bytes = step->copied;
    }
    step->decoded =
        instruction_decode(&step->instruction, step->bytes, nr, mode_of(&step->begun.place)) == INSTRUCTION_DECODED;
    if (step->decoded && step->bytes != step->copied) /* it may write over itself */
        memcpy(step->copied, step->bytes, step->instruction.length);
    step->bytes = step->copied;
    if (step->decoded && step->instruction.kind == INSTRUCTION_FAR_RETURN)
        step->stack = soft_step_stack(&step->begun);
}

/* Not before all CPUs have come to their end does a page go back to full speed for all of them. */
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
static bool user_pages_are_users(void)
{
    return (vmreadn(VMCS_GUEST_CR4) & CR4_SMEP) && (vmreadn(VMCS_GUEST_CR0) & CR0_PG);
}

bool soft_step_guards(const struct cpu *cpu, uint64_t linear, bool guarded)
{
    const uint64_t page = page_of(linear);

    if (machine.config.way != PT_SWITCH_SOFT)
        return false;
    if (!some_cpu_traces()) {
        machine.unguarded = true;
        return false;
    }
    /* Who executes there now, and who could come there without an exit. */
    const bool kernel = guest_at_cpl0() || !user_pages_are_users(),
               user = !guest_at_cpl0() || guest_user_may_run(linear);
    return guarded || pt_soft_guards(cpu->pt, page, page + PAGE_BYTES - 1, kernel, user);
}

void soft_step_opened(struct cpu *cpu, uint64_t linear)
{
    cpu->soft.guarded = page_of(linear);
    cpu->soft.opened = true;
}

void soft_step_cr3(struct cpu *cpu, uint64_t value)
{
    cpu->soft.cr3_coming = value;
}

void soft_step_drop(struct cpu *cpu)
{
    cpu->soft.on = cpu->soft.settled = false;
    guest_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, false);
}

/* What may be executed freely is to be judged anew: the next fetch from each page exits. */
static void withhold_execution(struct cpu *cpu)
{
    if (!machine.config.code_pages)
        return;
    machine_lock(cpu);
    machine.unguarded = false;
    ept_withhold_execution();
    kick_ept_changed(cpu);
    machine_unlock(cpu);
    ept_invalidate(&cpu->view);
}

/* Something else is traced from now on, or this CPU again: pages that were free to be executed may be guarded. */
static void window_follow(struct cpu *cpu)
{
    const uint32_t window = pt_soft_window(cpu->pt);

    if (window == cpu->soft.window && !(window != 0 && machine.unguarded))
        return;
    cpu->soft.window = window;
    if (window != 0)
        withhold_execution(cpu);
}

static void stand_settle(struct soft_step *step)
{
    if (!step->settled)
        step->begun = stand_read();
    step->settled = true;
}

/* Without code pages nothing tells when the guest comes to what is traced. */
static bool stands_on_guarded(struct soft_step *step)
{
    if (step->opened || !machine.config.code_pages)
        return true;
    if (step->guarded == 0)
        return false;
    stand_settle(step);
    return page_of(step->begun.place.ip) == step->guarded;
}

/* Pages stay open as long as steps go on; and where this CPU would step none of theirs: its trace is paused or has come
 * to its end, and others' have not. */
static void steps_decide(struct cpu *cpu)
{
    struct soft_step *step = &cpu->soft;
    const uint64_t cr3 = step->cr3_coming ? step->cr3_coming : vmreadn(VMCS_GUEST_CR3);

    step->cr3_coming = 0;
    step->on = pt_soft_steps(cpu->pt, stands_on_guarded(step), cr3);
    if (!step->on && !cpu->step.active && pt_soft_steps(cpu->pt, true, cr3))
        step_forget_pages(cpu);
}

void soft_step_enter(struct cpu *cpu)
{
    struct soft_step *step = &cpu->soft;

    window_follow(cpu);
    steps_decide(cpu);
    guest_set_proc_control(cpu, PROC_MONITOR_TRAP_FLAG, step->on || cpu->step.active);
    if (!step->on) {
        step->settled = false;
        return;
    }
    stand_settle(step);
    step->delivers = vmread32(VMCS_ENTRY_INTERRUPTION_INFORMATION) & EVENT_VALID;
    instruction_read(step);
    soft_hold_interrupts(step);
    pt_soft_step_begin(cpu->pt, &step->begun.place);
}
