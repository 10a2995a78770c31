/*
 * The PT engine's set-up and its hooks. Shell.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7), "ToPA PMI" (36.2.6.2), "Tracing Post-VMXON" (36.5.2).
 * With TraceEn set every RTIT MSR but CTL is unwritable: CTL is cleared first and written last.
 */
#include "pt/engine.h"
#include "pt/engine_state.h"
#include "pt/msr.h"
#include "pt/rtit.h"
#include "pt/scheme.h"

_Static_assert(sizeof(struct pt_engine) <= 4096, "the ToPA tables follow struct pt_engine on pages of their own");
_Static_assert(PT_ENGINE_SIZE == 4096 * (1 + REGION_RING_MAX_TABLES), "there is room for the ToPA tables");

/* How often an exit that has no work lets the sink work: TSC ticks, some 100 us. */
#define POLL_TSC 300000u

#define CPUID_1_ECX_VMX (1u << 5)

static void copy_leaf(uint32_t out[4], struct cpuid_regs regs)
{
    out[0] = regs.eax, out[1] = regs.ebx, out[2] = regs.ecx, out[3] = regs.edx;
}

void pt_cpuid_read(struct pt_cpuid *cpuid)
{
    *cpuid = (struct pt_cpuid){.leaf0_eax = cpuid_read(0, 0).eax};
    if (cpuid->leaf0_eax >= 7)
        cpuid->leaf7_ebx = cpuid_read(7, 0).ebx;
    if (cpuid->leaf0_eax >= 0x14)
        copy_leaf(cpuid->leaf14_0, cpuid_read(0x14, 0));
    if (cpuid->leaf14_0[0] >= 1)
        copy_leaf(cpuid->leaf14_1, cpuid_read(0x14, 1));
    if (cpuid->leaf0_eax >= 0x15)
        copy_leaf(cpuid->leaf15, cpuid_read(0x15, 0));
    cpuid->leaf80000008_eax = cpuid_read(0x80000000, 0).eax >= 0x80000008 ? cpuid_read(0x80000008, 0).eax : 36;
    if (cpuid_read(1, 0).ecx & CPUID_1_ECX_VMX)
        cpuid->vmx_misc = msr_read(IA32_VMX_MISC);
    if (cpuid->leaf0_eax >= 0x14 && cpuid->leaf7_ebx & CPUID_7_EBX_PT)
        cpuid->rtit_ctl = msr_read(IA32_RTIT_CTL);
}

static bool has_trace_stop(const struct pt_options *config)
{
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        if (config->ranges[i].kind == PT_RANGE_STOP)
            return true;
    return false;
}

void pt_setup_apply(struct pt_engine *pt, const struct pt_setup *setup)
{
    pt->rtit_ctl = setup->rtit_ctl;
    pt->policy = pt->config.policy;
    pt->trace_stop = has_trace_stop(&pt->config);
    msr_write(IA32_RTIT_CTL, pt->rtit_ctl);
    if (setup->has_cr3_match)
        msr_write(IA32_RTIT_CR3_MATCH, setup->cr3_match[0]);
    for (uint32_t i = 0; i < setup->nr_ranges; i++) {
        msr_write(IA32_RTIT_ADDR0_A + 2 * i, setup->addr_a[i]);
        msr_write(IA32_RTIT_ADDR0_A + 2 * i + 1, setup->addr_b[i]);
    }
}

/* All of PT's state that we use: a warm reset may have kept any of it. TraceEn is clear. */
static void registers_init(struct pt_engine *pt, const struct pt_setup *setup)
{
    struct plan_rearm start = output_start(&pt->out);
    pt_setup_apply(pt, setup);
    pt_registers_write(pt, &start);
}

/* false: this CPU cannot do it, or the regions lie where it cannot write. */
static bool configure(struct pt_engine *pt, struct pt_setup *setup, const struct pt_options *config)
{
    struct pt_cpuid cpuid;
    pt_cpuid_read(&cpuid);
    if (pt_options_resolve(setup, &cpuid, config) != PT_OK)
        return false;
    pt->config = *config;
    pt->scheme = setup->scheme;
    pt->maxphyaddr = (uint8_t)cpuid.leaf80000008_eax;
    pt->single_region = !(cpuid.leaf14_0[2] & CPUID_14_ECX_MENTRY);
    pt->region_bytes = (uint32_t)config->region_bytes;
    uint64_t end = pt->regions.pa + config->region_bytes * config->nr_regions;
    if ((end - 1) >> pt->maxphyaddr != 0 || pt->regions.pa % pt_scheme_align(setup->scheme, config) != 0)
        return false;
    pt->out = output_make(setup->scheme, !pt->single_region, config, pt->tables_pa, pt->regions.pa);
    return true;
}

struct pt_engine *pt_engine_init(void *memory, uint64_t memory_pa, uint16_t cpu, const struct pt_options *config,
                                 struct pt_region_memory regions, struct sink *sink)
{
    struct pt_engine *pt = memory;
    struct pt_setup setup;

    *pt = (struct pt_engine){.cpu = cpu, .sink = sink, .regions = regions};
    if (!config || !config->enabled || !region_ring_size_valid(config->region_bytes, config->nr_regions))
        return pt;
    pt->tables = (uint64_t *)((uint8_t *)memory + 4096);
    pt->tables_pa = memory_pa + 4096;
    if (!configure(pt, &setup, config))
        return pt;
    registers_init(pt, &setup);
    pt->tracing = true;
    pt->switched_in_root = config->way == PT_SWITCH_ROOT;
    return pt;
}

bool pt_engine_tracing(const struct pt_engine *pt, uint64_t *rtit_ctl)
{
    if (rtit_ctl)
        *rtit_ctl = pt->tracing ? pt->rtit_ctl | RTIT_CTL_TRACE_EN : 0;
    return pt->tracing;
}

void pt_exit(struct pt_engine *pt)
{
    if (pt->switched_in_root)
        msr_write(IA32_RTIT_CTL, pt->rtit_ctl);
}

/* The low 12 bits take no part but in PAE paging ("Filtering by CR3", 36.2.4.2), and there both values have them right
 * or the page alone tells them apart. Bit 63 of what MOV writes is no part of CR3. */
bool pt_cr3(struct pt_engine *pt, uint64_t cr3)
{
    if (!pt->tracing || pt->config.cr3[1] == 0)
        return false;
    for (unsigned i = 0; i < 2; i++)
        if ((cr3 ^ pt->config.cr3[i]) << 1 >> 13 == 0)
            msr_write(IA32_RTIT_CR3_MATCH, pt->config.cr3[i]);
    return true;
}

/* false: there is no ToPA PMI to acknowledge. */
static bool pmi_acknowledge(void)
{
    if (!(msr_read(IA32_PERF_GLOBAL_STATUS) & PERF_GLOBAL_TRACE_TOPA_PMI))
        return false;
    msr_write(IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TRACE_TOPA_PMI);
    return true;
}

/* Each PMI that LVTPC delivers masks it until its NMI has come here: the mask tells whether an NMI is LVTPC's, bit 55
 * whether a PMI was ours. Bit 55 alone does not tell: of a PMI that comes while LVTPC is masked there is no NMI. */
bool pt_nmi(struct pt_engine *pt)
{
    if (!pt->tracing)
        return false;
    if (pmi_acknowledge()) {
        pt->pmi_pending = true;
        pt->totals.pmis++;
    }
    return lvtpc_delivered();
}

/* Where LVTPC was changed, the guest did it, and a PMI may have been lost meanwhile: drain as well. Where a PMI has
 * come since the exit, its NMI waits for the entry, and is judged then. */
static void serve(struct pt_engine *pt)
{
    bool intact = lvtpc_guard();
    if (pt->pause.on) {
        pt->pmi_pending = false; /* whatever it was, it was before the pause */
    } else if (pt->pmi_pending) {
        pt_drain(pt, RECORD_DRAIN_PMI);
    } else if (!intact) {
        pt->totals.lvtpc_repairs++;
        pt_drain(pt, RECORD_DRAIN_POLL);
    } else if (!pt->out.scheme->pmis && pt_registers_due(pt)) {
        pt_drain(pt, RECORD_DRAIN_POLL);
    }
}

/* No PMI tells of an operational error, and one for a stop or a region's end is lost where TraceEn was cleared before
 * it came (CPUID.14H:EBX[6], "PSB and PMI preservation", is about that): a look from time to time. */
static void check(struct pt_engine *pt)
{
    uint64_t halted = pt->trace_stop ? RTIT_STATUS_ERROR : RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED;
    if (!pt->tracing || pt->pause.on)
        return;
    if ((msr_read(IA32_RTIT_STATUS) & halted) || pt_registers_due(pt))
        pt_drain(pt, RECORD_DRAIN_POLL);
    pt->checked_tsc = tsc_read();
}

uint64_t pt_enter(struct pt_engine *pt)
{
    if (pt->tracing)
        serve(pt);
    uint64_t now = tsc_read();
    if (now - pt->checked_tsc > POLL_TSC) /* however often the sink is polled */
        check(pt);
    if (now - pt->polled_tsc > POLL_TSC)
        pt_poll(pt);
    if (pt->command_waits)
        pt_commands(pt);
    bool trace = pt->tracing && (!pt->pause.on || pt_pause_over(pt));
    if (pt->unsent)
        pt_poll(pt); /* all that this exit has yielded in one go; nothing waits for the next exit */
    if (!trace)
        return 0;
    pt->entered_tsc = now;
    pt->taken = false;
    uint64_t ctl = pt->rtit_ctl | RTIT_CTL_TRACE_EN;
    if (pt->switched_in_root)
        msr_write(IA32_RTIT_CTL, ctl);
    return ctl;
}
