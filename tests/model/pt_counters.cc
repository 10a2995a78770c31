/*
 * The counters of the performance-monitoring unit. They are updated when they are read, and by a timer when the next
 * one that causes an interrupt is about to overflow. Its PMI comes at the next instruction boundary where timers are
 * served: a skid, as on hardware.
 *
 * Source: SDM Vol. 3B "Architectural Performance Monitoring" (18.2), Figures "Layout of IA32_PERFEVTSELx MSRs" and
 * "Layout of IA32_FIXED_CTR_CTRL MSR".
 */
#include "pt_internal.h"

#include "pc_system.h"

static const uint64_t EVTSEL_OS_OR_USR = 3ull << 16;
static const uint64_t EVTSEL_INT = 1ull << 20;
static const uint64_t EVTSEL_EN = 1ull << 22;
static const uint64_t FIXED_OS_OR_USR = 3;
static const uint64_t FIXED_PMI = 8;
static const uint64_t NEVER = ~0ull;

/* How much event (UMASK:event) has happened. Table 18-1, "UMask and Event Select Encodings". */
static uint64_t event_step(uint64_t event, uint64_t instructions, uint64_t cycles)
{
    switch (event & 0xffff) {
    case 0x00c0:
        return instructions;
    case 0x003c:
    case 0x013c:
        return cycles;
    default:
        return 0;
    }
}

/* They run where all enables agree; 18.2.4 adds CTR_Frz to these. */
static bool frozen(const struct ptm_pmu *pmu)
{
    return ptm_config.pmu_version >= 4 && (pmu->global_status & PTM_GLOBAL_CTR_FRZ);
}

static bool runs(const struct ptm_pmu *pmu, uint32_t n)
{
    return (pmu->evtsel[n] & EVTSEL_EN) && (pmu->evtsel[n] & EVTSEL_OS_OR_USR) && (pmu->global_ctrl >> n & 1);
}

static uint64_t fixed_control(const struct ptm_pmu *pmu, uint32_t n)
{
    return pmu->fixed_ctrl >> 4 * n & 15;
}

static bool fixed_runs(const struct ptm_pmu *pmu, uint32_t n)
{
    return (fixed_control(pmu, n) & FIXED_OS_OR_USR) && (pmu->global_ctrl >> (32 + n) & 1);
}

/* true: it has overflowed. */
static bool advance(uint64_t *counter, uint64_t by)
{
    uint64_t sum = *counter + by;
    *counter = sum & PTM_COUNTER_BITS;
    return sum > PTM_COUNTER_BITS;
}

/* Returns whether a counter that shall interrupt has overflowed. */
static bool count(BX_CPU_C *cpu, uint64_t instructions, uint64_t cycles)
{
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    bool interrupt = false;
    for (uint32_t n = 0; n < PTM_PMU_COUNTERS; n++)
        if (runs(pmu, n) && advance(&pmu->counter[n], event_step(pmu->evtsel[n], instructions, cycles)) &&
            !ptm_pebs_overflow(cpu, n)) {
            pmu->global_status |= 1ull << n;
            interrupt |= (pmu->evtsel[n] & EVTSEL_INT) != 0;
        }
    for (uint32_t n = 0; n < PTM_PMU_FIXED; n++)
        if (fixed_runs(pmu, n) && advance(&pmu->fixed[n], n == 0 ? instructions : cycles)) {
            pmu->global_status |= 1ull << (32 + n);
            interrupt |= (fixed_control(pmu, n) & FIXED_PMI) != 0;
        }
    return interrupt;
}

void ptm_counters_update(BX_CPU_C *cpu)
{
    struct ptm_pmu *pmu = &cpu->ptm.pmu;
    uint64_t instructions = cpu->get_icount() - pmu->last_instructions;
    uint64_t cycles = bx_pc_system.time_ticks() - pmu->last_cycles;
    pmu->last_instructions += instructions;
    pmu->last_cycles += cycles;
    if (frozen(pmu) || !count(cpu, instructions, cycles))
        return;
    ptm_pmu_freeze(cpu);
    ptm_lvtpc_deliver(cpu);
}

/* How many of its events the first counter that shall interrupt is away from its overflow. */
static uint64_t next_overflow(const struct ptm_pmu *pmu)
{
    uint64_t next = NEVER;
    for (uint32_t n = 0; n < PTM_PMU_COUNTERS; n++)
        if (runs(pmu, n) && ((pmu->evtsel[n] & EVTSEL_INT) || (pmu->pebs_enable >> n & 1)) && event_step(pmu->evtsel[n], 1, 1) != 0 &&
            PTM_COUNTER_BITS + 1 - pmu->counter[n] < next)
            next = PTM_COUNTER_BITS + 1 - pmu->counter[n];
    for (uint32_t n = 0; n < PTM_PMU_FIXED; n++)
        if (fixed_runs(pmu, n) && (fixed_control(pmu, n) & FIXED_PMI) && PTM_COUNTER_BITS + 1 - pmu->fixed[n] < next)
            next = PTM_COUNTER_BITS + 1 - pmu->fixed[n];
    return frozen(pmu) ? NEVER : next;
}

static void timer(void *self)
{
    BX_CPU_C *cpu = (BX_CPU_C *)self;
    ptm_counters_update(cpu);
    ptm_counters_schedule(cpu);
}

/* A tick of time is an instruction or less: the timer may come early, and is set again then. */
void ptm_counters_schedule(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t next = next_overflow(&p->pmu);
    if (next == NEVER) {
        if (p->counter_timer != 0)
            bx_pc_system.deactivate_timer(p->counter_timer);
        return;
    }
    if (p->counter_timer == 0)
        p->counter_timer = bx_pc_system.register_timer_ticks(cpu, timer, 1, false, false, "ptmodel.counters");
    bx_pc_system.activate_timer_ticks(p->counter_timer, next, false);
}
