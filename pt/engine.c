/*
 * The PT engine's set-up and its hooks. Shell.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7), "ToPA PMI" (36.2.6.2), "Tracing Post-VMXON" (36.5.2).
 * With TraceEn set every RTIT MSR but CTL is unwritable: CTL is cleared first and written last.
 */
#include "pt/engine.h"
#include "pt/cpu.h"
#include "pt/msr.h"
#include "pt/rtit.h"

_Static_assert(sizeof(struct pt_cpu) <= PT_CPU_SIZE - 4096,
               "the ToPA table follows struct pt_cpu on a page of its own");
_Static_assert((RING_MAX_REGIONS + 1) * 8 <= 4096, "a ToPA table is one page");

/* How often an exit that has no work lets the sink work: TSC ticks, some 100 us. */
#define POLL_TSC 300000u

#define CPUID_1_ECX_VMX (1u << 5)
#define IA32_VMX_MISC 0x485u

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

/* All of PT's state that we use: a warm reset may have kept any of it. TraceEn is clear. */
static void registers_init(const struct pt_cpu *pt, const struct pt_setup *setup)
{
    msr_write(IA32_RTIT_CTL, pt->rtit_ctl);
    if (setup->has_cr3_match)
        msr_write(IA32_RTIT_CR3_MATCH, setup->cr3_match);
    for (uint32_t i = 0; i < setup->nr_ranges; i++) {
        msr_write(IA32_RTIT_ADDR0_A + 2 * i, setup->addr_a[i]);
        msr_write(IA32_RTIT_ADDR0_A + 2 * i + 1, setup->addr_b[i]);
    }
    msr_write(IA32_RTIT_STATUS, 0);
    msr_write(IA32_RTIT_OUTPUT_BASE, pt->ring.table_pa);
    msr_write(IA32_RTIT_OUTPUT_MASK_PTRS, topa_ptrs_pack(ring_ptrs(&pt->ring)));
}

struct pt_cpu *pt_cpu_init(void *memory, uint64_t memory_pa, uint16_t cpu, const struct pt_config *config,
                           struct pt_region_memory regions, struct sink *sink)
{
    struct pt_cpu *pt = memory;
    struct pt_cpuid cpuid;
    struct pt_setup setup;

    *pt = (struct pt_cpu){.cpu = cpu, .sink = sink, .regions = regions};
    if (!config || !config->enabled || !ring_size_valid(config->region_bytes, config->nr_regions))
        return pt;
    pt_cpuid_read(&cpuid);
    if (pt_config_resolve(&setup, &cpuid, config) != PT_OK)
        return pt;
    pt->rtit_ctl = setup.rtit_ctl;
    pt->policy = config->policy;
    pt->table = (uint64_t *)((uint8_t *)memory + 4096);
    pt->ring = ring_make(memory_pa + 4096, regions.pa, (uint32_t)config->region_bytes, config->nr_regions);
    for (uint32_t i = 0; i <= config->nr_regions; i++)
        pt->table[i] = ring_entry(&pt->ring, i);
    registers_init(pt, &setup);
    pt->tracing = true;
    return pt;
}

bool pt_cpu_tracing(const struct pt_cpu *pt, uint64_t *rtit_ctl)
{
    if (rtit_ctl)
        *rtit_ctl = pt->tracing ? pt->rtit_ctl | RTIT_CTL_TRACE_EN : 0;
    return pt->tracing;
}

void pt_exit(struct pt_cpu *pt)
{
    if (pt->tracing)
        msr_write(IA32_RTIT_CTL, pt->rtit_ctl);
}

/* false: there is no ToPA PMI to acknowledge. */
static bool pmi_acknowledge(void)
{
    if (!(msr_read(IA32_PERF_GLOBAL_STATUS) & PERF_GLOBAL_TRACE_TOPA_PMI))
        return false;
    msr_write(IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TRACE_TOPA_PMI);
    return true;
}

bool pt_nmi(struct pt_cpu *pt)
{
    if (!pt->tracing || !pmi_acknowledge())
        return false;
    pt->pmi_pending = true;
    pt->totals.pmis++;
    return true;
}

/* A PMI's delivery sets LVTPC's mask bit: unmask it, then drain. Where LVTPC was changed without a PMI of ours, the
 * guest did it, and a PMI may have been lost meanwhile: drain as well, and acknowledge what no NMI will announce. */
static void serve(struct pt_cpu *pt)
{
    bool intact = lvtpc_guard();
    if (pt->pause.on) {
        pt->pmi_pending = false; /* whatever it was, it was before the pause */
    } else if (pt->pmi_pending) {
        pt_drain(pt, RECORD_DRAIN_PMI);
    } else if (!intact) {
        pt->totals.lvtpc_repairs++;
        pmi_acknowledge();
        pt_drain(pt, RECORD_DRAIN_POLL);
    }
}

void pt_enter(struct pt_cpu *pt)
{
    if (pt->tracing)
        serve(pt);
    uint64_t now = tsc_read();
    if (now - pt->polled_tsc > POLL_TSC)
        pt_poll(pt);
    if (!pt->tracing || (pt->pause.on && !pt_pause_over(pt)))
        return;
    pt->entered_tsc = now;
    msr_write(IA32_RTIT_CTL, pt->rtit_ctl | RTIT_CTL_TRACE_EN);
}
