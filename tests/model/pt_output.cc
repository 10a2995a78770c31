/*
 * The output unit: packet bytes go straight into guest-physical memory, along the ToPA tables (the walk itself is core
 * code, pt/output/topa.c) or round a single range.
 *
 * out points into a window: the rest of one page of the emulator's memory. out_limit is at its end, or before it
 * where a PSB or a PMI is due.
 *
 * Source: SDM "Trace Output" (36.2.6).
 */
#include "pt_internal.h"

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
    if (p->early_int_at < limit)
        limit = p->early_int_at;
    if (p->slow.overflow_at < limit)
        limit = p->slow.overflow_at;
    if (!p->output_on || limit <= p->window_offset)
        p->out_limit = p->window;
    else
        p->out_limit = p->window + (limit - p->window_offset);
}

static bool to_fabric(const struct ptm_cpu *p)
{
    return (p->msr.ctl & RTIT_CTL_FABRIC_EN) != 0;
}

static bool single_range(const struct ptm_cpu *p)
{
    return !(p->msr.ctl & RTIT_CTL_TOPA);
}

static uint64_t range_mask(const struct ptm_cpu *p)
{
    return (uint32_t)p->msr.output_mask_ptrs;
}

static uint64_t region_room(const struct ptm_cpu *p)
{
    return single_range(p) ? range_mask(p) + 1 - p->walk.ptrs.offset : topa_walk_room(&p->walk);
}

/* 36.2.6.3: output to the trace transport subsystem; here it is to nowhere. */
static void window_nowhere(struct ptm_cpu *p)
{
    p->window_offset = ptm_trace_offset(p);
    p->window = p->out = p->nowhere;
    p->window_end = p->nowhere + sizeof(p->nowhere);
    ptm_output_limit(p);
}

/* "ToPA PMI and Single Output Region ToPA Implementation": the PMI comes before the region is full. */
static void early_int_plan(struct ptm_cpu *p)
{
    const struct ptm_profile *profile = ptm_config.profile;
    p->early_int_at = ~0ull;
    if (!(p->msr.ctl & RTIT_CTL_TOPA) || ptm_out(profile, PTM_OUT_MENTRY) || !(p->walk.entry & TOPA_INT))
        return;
    uint32_t room = topa_walk_room(&p->walk);
    if (room > profile->early_bytes)
        p->early_int_at = ptm_trace_offset(p) + room - profile->early_bytes;
}

/* Point the window at the walk's place. Bytes that go to no memory (or to a device, or where EPT does not
 * let them) are lost, as on a bus. */
static void window_map(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t pa = topa_walk_pa(&p->walk);
    uint64_t in_page = pa % PAGE;
    uint64_t size = PAGE - in_page;
    if (size > region_room(p))
        size = region_room(p);
    bool there = !p->output_gpa || ptm_guest_physical(cpu, &pa, true);
    uint8_t *page = !there ? NULL : BX_MEM(0)->getHostMemAddr(cpu, pa & ~(PAGE - 1), BX_WRITE);
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

static void operational_error(BX_CPU_C *cpu, const char *what)
{
    cpu->info("ptmodel: operational error (IA32_RTIT_STATUS.Error): %s", what);
    cpu->ptm.msr.status |= RTIT_STATUS_ERROR;
}

static bool walk_load(BX_CPU_C *cpu)
{
    bool single_region = !ptm_out(ptm_config.profile, PTM_OUT_MENTRY);
    ptm_table_spoil(cpu);
    enum topa_error error = topa_walk_load(&cpu->ptm.walk, ptm_table_read, cpu, BX_PHY_ADDRESS_WIDTH, single_region);
    if (error == TOPA_OK) {
        early_int_plan(&cpu->ptm);
        ptm_table_ahead(cpu);
        return true;
    }
    operational_error(cpu, topa_error_name(error));
    return false;
}

/* 36.2.6.1, "Single-Range Output Errors", Tables 36-8 and 36-9. */
static bool single_range_start(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    uint64_t mask = range_mask(p);
    p->walk.entry = 0;
    p->walk.region_pa = p->msr.output_base;
    if ((mask & (mask + 1)) != 0) {
        operational_error(cpu, "the mask of the single output range has a hole");
        return false;
    }
    if ((p->msr.output_base & mask) != 0 || p->walk.ptrs.offset > mask) {
        operational_error(cpu, "base, mask and offset of the single output range do not fit each other");
        return false;
    }
    return true;
}

bool ptm_output_start(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    ptm_output_place(p);
    p->early_int_at = ~0ull;
    p->output_gpa = ptm_output_is_guest_physical(cpu);
    if (to_fabric(p)) {
        p->output_on = true;
        window_nowhere(p);
        return true;
    }
    if (!(single_range(p) ? single_range_start(cpu) : walk_load(cpu)))
        return false;
    p->output_on = true;
    window_map(cpu);
    return true;
}

void ptm_output_place(struct ptm_cpu *p)
{
    p->walk.ptrs = topa_ptrs_unpack(p->msr.output_base, p->msr.output_mask_ptrs);
    p->nr_ahead = 0;
}

/* Advance the walk by what the window has taken. Returns TOPA_FILLED bits. */
static unsigned window_close(struct ptm_cpu *p)
{
    uint32_t written = (uint32_t)(p->out - p->window);
    p->window_offset += written;
    p->window = p->out;
    if (to_fabric(p))
        return TOPA_FILLED;
    if (!single_range(p))
        return topa_walk_advance(&p->walk, written);
    p->walk.ptrs.offset = (uint32_t)((p->walk.ptrs.offset + (uint64_t)written) & range_mask(p));
    return 0;
}

void ptm_output_stop(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (p->output_on)
        window_close(p);
    p->output_on = false;
    p->window_offset = ptm_trace_offset(p);
    p->window = p->out = p->window_end = p->nowhere;
    p->early_int_at = ~0ull;
    p->nr_ahead = 0;
    if (!to_fabric(p)) {
        p->msr.output_base = p->walk.ptrs.table_pa;
        if (single_range(p))
            p->msr.output_mask_ptrs = (uint64_t)p->walk.ptrs.offset << 32 | (uint32_t)p->msr.output_mask_ptrs;
        else
            p->msr.output_mask_ptrs = topa_ptrs_pack(p->walk.ptrs);
    }
    ptm_pmi_trace_off(cpu);
    ptm_output_limit(p);
}

/* --- writing ---------------------------------------------------------------------------------------------------- */

/* "ToPA STOP": output ends here, in the middle of a packet if so be it; what is left is lost. */
static void output_ends(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    p->output_on = false;
    p->window_offset = ptm_trace_offset(p);
    p->window = p->out = p->window_end = p->nowhere;
    ptm_output_limit(p);
    ptm_trigger_lost(cpu);
    ptm_pmi_flush(cpu);
}

static void window_full(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (to_fabric(p)) {
        window_nowhere(p);
        return;
    }
    unsigned filled = window_close(p);
    bool ends = false;
    if (filled & TOPA_FILLED) {
        if (filled & TOPA_FILLED_STOP) {
            p->msr.status |= RTIT_STATUS_STOPPED;
            ends = true;
        } else {
            ends = !walk_load(cpu);
        }
        if ((filled & TOPA_FILLED_INT) && ptm_out(ptm_config.profile, PTM_OUT_MENTRY))
            ptm_pmi_signal(cpu);
    }
    if (ends)
        output_ends(cpu);
    else
        window_map(cpu);
}

static void early_int_if_due(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    if (ptm_trace_offset(p) < p->early_int_at)
        return;
    p->early_int_at = ~0ull;
    ptm_pmi_signal(cpu);
    ptm_output_limit(p);
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
        early_int_if_due(cpu);
        if (p->out == p->window_end)
            window_full(cpu);
    }
    if (ptm_trace_offset(p) >= p->next_psb)
        p->psb_wanted = true;
    ptm_pmi_if_due(cpu);
}
