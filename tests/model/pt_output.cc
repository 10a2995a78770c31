/*
 * The output unit: packet bytes go straight into guest-physical memory, along the ToPA tables (the walk itself is core
 * code, pt/topa.c) or round a single range.
 *
 * out points into a window: the rest of one page of the emulator's memory. out_limit stands at its end, or before it
 * where a PSB or a PMI is due.
 *
 * Source: SDM "Trace Output" (36.2.6).
 */
#include "pt_internal.h"

#include "cpu/apic.h"
#include "memory/memory-bochs.h"

static const uint64_t PAGE = 0x1000;

uint64_t ptm_trace_offset(const struct ptm_cpu *p)
{
    return p->window_offset + (uint64_t)(p->out - p->window);
}

void ptm_output_limit(struct ptm_cpu *p)
{
    uint64_t end = p->window_offset + (uint64_t)(p->window_end - p->window);
    uint64_t limit = end;
    if (p->next_psb < limit)
        limit = p->next_psb;
    if (p->pmi_waiting && p->pmi_at < limit)
        limit = p->pmi_at;
    if (p->slow.overflow_at < limit)
        limit = p->slow.overflow_at;
    if (!p->output_on || limit <= p->window_offset)
        p->out_limit = p->window;
    else
        p->out_limit = p->window + (limit - p->window_offset);
}

/* Point the window at the walk's place. Bytes that go to no memory (or to a device) are lost, as on a bus. */
static void window_map(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t pa = topa_walk_pa(&p->walk);
    uint64_t in_page = pa % PAGE;
    uint64_t size = PAGE - in_page;
    if (size > topa_walk_room(&p->walk))
        size = topa_walk_room(&p->walk);
    uint8_t *page = BX_MEM(0)->getHostMemAddr(cpu, pa & ~(PAGE - 1), BX_WRITE);
    if (page == NULL) {
        page = p->nowhere;
    } else {
        pageWriteStampTable.decWriteStamp(pa & ~(PAGE - 1)); /* code that was decoded there is void */
    }
    p->window_offset = ptm_trace_offset(p);
    p->window = p->out = page + in_page;
    p->window_end = p->window + size;
    ptm_output_limit(p);
}

static uint64_t table_read(void *context, uint64_t pa)
{
    BX_CPU_C *cpu = (BX_CPU_C *)context;
    uint64_t entry = 0;
    BX_MEM(0)->readPhysicalPage(cpu, pa, 8, &entry);
    return entry;
}

static void operational_error(BX_CPU_C *cpu, const char *what)
{
    cpu->info("ptmodel: operational error (IA32_RTIT_STATUS.Error): %s", what);
    cpu->ptm.msr.status |= RTIT_STATUS_ERROR;
}

static bool single_range(const struct ptm_cpu *p)
{
    return !(p->msr.ctl & RTIT_CTL_TOPA);
}

static bool walk_load(BX_CPU_C *cpu)
{
    bool single_region = !(ptm_config.profile->cpuid14_0[2] & 2);
    enum topa_error error = topa_walk_load(&cpu->ptm.walk, table_read, cpu, BX_PHY_ADDRESS_WIDTH, single_region);
    if (error == TOPA_OK)
        return true;
    operational_error(cpu, topa_error_name(error));
    return false;
}

/* 36.2.6.1, "Single-Range Output": base and mask; the walk is told of a region that never fills. */
static bool single_range_start(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t mask = (uint32_t)p->msr.output_mask_ptrs;
    p->walk.ptrs = topa_ptrs_unpack(p->msr.output_base, p->msr.output_mask_ptrs);
    p->walk.entry = 0;
    p->walk.region_pa = p->msr.output_base;
    p->walk.region_bytes = (uint32_t)mask + 1;
    if ((mask & (mask + 1)) != 0 || (p->msr.output_base & mask) != 0 || p->walk.ptrs.offset > mask) {
        operational_error(cpu, "base, mask and offset of the single output range do not fit each other");
        return false;
    }
    return true;
}

bool ptm_output_start(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->walk.ptrs = topa_ptrs_unpack(p->msr.output_base, p->msr.output_mask_ptrs);
    if (!(single_range(p) ? single_range_start(cpu) : walk_load(cpu)))
        return false;
    p->output_on = true;
    window_map(cpu);
    return true;
}

/* Tell the walk what the window has taken. Returns TOPA_FILLED bits. */
static unsigned window_close(struct ptm_cpu *p)
{
    uint32_t written = (uint32_t)(p->out - p->window);
    p->window_offset += written;
    p->window = p->out;
    return topa_walk_advance(&p->walk, written);
}

void ptm_output_stop(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->output_on)
        window_close(p);
    p->output_on = false;
    p->window_offset = ptm_trace_offset(p);
    p->window = p->out = p->window_end = p->nowhere;
    p->msr.output_base = p->walk.ptrs.table_pa;
    if (single_range(p))
        p->msr.output_mask_ptrs = (uint64_t)p->walk.ptrs.offset << 32 | (uint32_t)p->msr.output_mask_ptrs;
    else
        p->msr.output_mask_ptrs = topa_ptrs_pack(p->walk.ptrs);
    ptm_output_limit(p);
}

/* --- the PMI ---------------------------------------------------------------------------------------------------- */

/* 36.2.6.2, "ToPA PMI": through LVTPC, whose mask bit the delivery sets (SDM "Local Vector Table"). */
static void pmi_deliver(BX_CPU_C *cpu)
{
    static const uint32_t LVT_MASKED = 0x10000;
    struct ptm_cpu *p = &cpu->ptm;
    p->pmi_waiting = false;
    p->msr.perf_global_status |= PERF_GLOBAL_TOPA_PMI;
    p->topa_pmis++;
    uint32_t lvtpc = cpu->lapic->read_aligned(BX_LAPIC_LVT_PERFMON);
    if (lvtpc & LVT_MASKED)
        return;
    cpu->lapic->set_lvt_entry(BX_LAPIC_LVT_PERFMON, lvtpc | LVT_MASKED);
    uint8_t mode = (uint8_t)(lvtpc >> 8 & 7);
    if (mode == APIC_DM_NMI)
        cpu->deliver_NMI();
    else if (mode == APIC_DM_FIXED)
        cpu->lapic->trigger_irq((uint8_t)lvtpc, APIC_EDGE_TRIGGERED);
    else
        cpu->lapic->deliver((uint8_t)lvtpc, mode, APIC_EDGE_TRIGGERED);
}

/* A step of a linear congruential generator (Knuth's MMIX constants): repeatable on every host. */
static uint32_t skid_next(void)
{
    static uint64_t state;
    if (ptm_config.seed == 0 || ptm_config.skid_bytes == 0)
        return ptm_config.skid_bytes;
    if (state == 0)
        state = ptm_config.seed;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((state >> 33) % (ptm_config.skid_bytes + 1ull));
}

static void pmi_signal(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint32_t skid = skid_next();
    if (skid == 0 || p->pmi_waiting) {
        pmi_deliver(cpu);
        return;
    }
    p->pmi_waiting = true;
    p->pmi_at = ptm_trace_offset(p) + skid;
}

static void pmi_if_due(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->pmi_waiting && ptm_trace_offset(p) >= p->pmi_at) {
        pmi_deliver(cpu);
        ptm_output_limit(p);
    }
}

/* --- writing ---------------------------------------------------------------------------------------------------- */

static void window_full(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    unsigned filled = window_close(p);
    if (filled & TOPA_FILLED) {
        if (single_range(p)) {
            p->walk.ptrs.index = 0;
            p->walk.ptrs.offset = 0;
        } else if (filled & TOPA_FILLED_STOP) {
            p->msr.status |= RTIT_STATUS_STOPPED;
        } else if (!walk_load(cpu)) {
            filled |= TOPA_FILLED_STOP;
        }
    }
    if (filled & TOPA_FILLED_INT)
        pmi_signal(cpu);
    if (filled & TOPA_FILLED_STOP) {
        /* "ToPA STOP": output ends here, in the middle of a packet if so be it; what is left is lost. */
        p->output_on = false;
        p->window_offset = ptm_trace_offset(p);
        p->window = p->out = p->window_end = p->nowhere;
        ptm_output_limit(p);
        ptm_trigger_lost(cpu);
        return;
    }
    window_map(cpu);
}

void ptm_output(BX_CPU_C *cpu, const uint8_t *bytes, size_t nr_bytes)
{
    struct ptm_cpu *p = &cpu->ptm;
    while (nr_bytes != 0 && p->output_on) {
        size_t room = (size_t)(p->window_end - p->out);
        size_t part = nr_bytes < room ? nr_bytes : room;
        memcpy(p->out, bytes, part);
        p->out += part;
        bytes += part;
        nr_bytes -= part;
        if (p->out == p->window_end)
            window_full(cpu);
    }
    if (ptm_trace_offset(p) >= p->next_psb)
        p->psb_wanted = true;
    pmi_if_due(cpu);
}
