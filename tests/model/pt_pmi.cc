/*
 * The ToPA PMI: when it comes, and how. From the place where it is signalled it takes a skid of bytes until it is
 * delivered through LVTPC; several can be on their way.
 *
 * Source: SDM "ToPA PMI" and "ToPA PMI and Single Output Region ToPA Implementation" (36.2.6.2), "Local Vector Table".
 */
#include "pt_internal.h"

#include <inttypes.h>

#include "cpu/apic.h"
#include "pc_system.h"

/* What PMIs found the processor doing. */
static struct {
    uint64_t all, root, shadow, blocked, halted, off, held;
} met;

static void meet(BX_CPU_C *cpu)
{
    met.all++;
    if (cpu->in_vmx && !cpu->in_vmx_guest)
        met.root++;
    else if (cpu->activity_state == BX_CPU_C::BX_ACTIVITY_STATE_HLT)
        met.halted++;
    else if (cpu->interrupts_inhibited(BX_INHIBIT_INTERRUPTS))
        met.shadow++;
    else if (cpu->is_masked_event(BX_EVENT_VMX_VIRTUAL_NMI))
        met.blocked++;
    else if (!cpu->get_IF())
        met.off++;
}

void ptm_pmi_print(FILE *file)
{
    if (met.all == 0)
        return;
    fprintf(file,
            "ptmodel: PMIs: all %" PRIu64 " root %" PRIu64 " halted %" PRIu64 " shadow %" PRIu64 " nmi-blocked %" PRIu64
            " if-off %" PRIu64 " held %" PRIu64 "\n",
            met.all, met.root, met.halted, met.shadow, met.blocked, met.off, met.held);
}

void ptm_lvtpc_deliver(BX_CPU_C *cpu)
{
    static const uint32_t LVT_MASKED = 0x10000;
    uint32_t lvtpc = cpu->lapic->read_aligned(BX_LAPIC_LVT_PERFMON);
    if (lvtpc & LVT_MASKED)
        return;
    cpu->lapic->set_lvt_entry(BX_LAPIC_LVT_PERFMON, lvtpc | LVT_MASKED);
    uint8_t mode = (uint8_t)(lvtpc >> 8 & 7);
    if (mode == APIC_DM_NMI)
        cpu->deliver_NMI();
    else if (mode == APIC_DM_FIXED)
        cpu->lapic->trigger_irq((uint8_t)lvtpc, APIC_EDGE_TRIGGERED);
    else if (mode == APIC_DM_SMI)
        cpu->deliver_SMI();
    else /* INIT and ExtINT: "not supported for [...] the LVT performance counter register" */
        cpu->info("ptmodel: a PMI is lost: LVTPC has delivery mode %u", mode);
}

static void deliver_now(BX_CPU_C *cpu)
{
    meet(cpu);
    if (ptm_config.hold_pmis && (cpu->ptm.pmu.global_status & PERF_GLOBAL_TOPA_PMI)) {
        met.held++;
        return;
    }
    ptm_pmu_topa_pmi(cpu);
    ptm_lvtpc_deliver(cpu);
}

static void late_timer(void *cpu)
{
    ((BX_CPU_C *)cpu)->ptm.late_waits = false;
    deliver_now((BX_CPU_C *)cpu);
}

/* A step of a linear congruential generator (Knuth's MMIX constants): repeatable on every host. 0 to most. */
static uint32_t bytes_next(uint32_t most)
{
    static uint64_t state;
    if (ptm_config.seed == 0 || most == 0)
        return most;
    if (state == 0)
        state = ptm_config.seed;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((state >> 33) % (most + 1ull));
}

/* A PMI that comes while one is late is one with it. */
static void deliver(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (ptm_config.late_ticks == 0) {
        deliver_now(cpu);
        return;
    }
    if (p->late_timer == 0)
        p->late_timer = bx_pc_system.register_timer_ticks(cpu, late_timer, 1, false, false, "ptmodel.pmi");
    if (!p->late_waits)
        bx_pc_system.activate_timer_ticks(p->late_timer, 1 + bytes_next(ptm_config.late_ticks), false);
    p->late_waits = true;
}

static void find_next(struct ptm_cpu *p)
{
    p->pmi_waiting = p->nr_pmis != 0;
    p->pmi_at = ~0ull;
    for (uint32_t n = 0; n < p->nr_pmis; n++)
        if (p->pmis[n].at < p->pmi_at)
            p->pmi_at = p->pmis[n].at;
}

/* One more on its way. Where all places are taken, it is one with the last. */
static void add(struct ptm_cpu *p, uint64_t at, bool second)
{
    if (p->nr_pmis < PTM_MAX_PMIS)
        p->pmis[p->nr_pmis++] = {at, second};
    find_next(p);
}

static void take(BX_CPU_C *cpu, uint32_t n)
{
    struct ptm_cpu *p = &cpu->ptm;
    bool second = p->pmis[n].second;
    p->pmis[n] = p->pmis[--p->nr_pmis];
    if (!second)
        p->topa_pmis++;
    deliver(cpu);
    if (second || !ptm_config.second_pmi)
        return;
    uint32_t after = bytes_next(ptm_config.second_bytes);
    if (after == 0)
        deliver(cpu);
    else
        add(p, ptm_trace_offset(p) + after, true);
}

void ptm_pmi_if_due(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (!p->pmi_waiting || ptm_trace_offset(p) < p->pmi_at)
        return;
    for (uint32_t n = 0; n < p->nr_pmis;)
        if (ptm_trace_offset(p) >= p->pmis[n].at)
            take(cpu, n);
        else
            n++;
    find_next(p);
    ptm_output_limit(p);
}

void ptm_pmi_signal(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    add(p, ptm_trace_offset(p) + bytes_next(ptm_config.skid_bytes), false);
    ptm_pmi_if_due(cpu);
}

void ptm_pmi_flush(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint32_t n = 0;
    while (n < p->nr_pmis) {
        /* A second PMI may come when the first has been served and output continues. */
        if (p->pmis[n].second)
            n++;
        else
            take(cpu, n);
    }
    find_next(p);
}

static bool drop_waiting(struct ptm_cpu *p)
{
    bool any = false;
    for (uint32_t n = 0; n < p->nr_pmis;)
        if (p->pmis[n].second) {
            n++;
        } else {
            p->pmis[n] = p->pmis[--p->nr_pmis];
            any = true;
        }
    find_next(p);
    return any;
}

void ptm_pmi_trace_off(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->msr.ctl & RTIT_CTL_INJECT_PSB_PMI)
        p->msr.status |= drop_waiting(p) ? RTIT_STATUS_PEND_TOPA_PMI : 0;
    else if (ptm_config.lost_pmis)
        drop_waiting(p);
    else
        ptm_pmi_flush(cpu); /* its skid is time: it does not wait for bytes that may never come */
}
