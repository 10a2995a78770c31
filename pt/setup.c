/* Kind: shell */
/*
 * The PT engine's setup: this CPU's capabilities, and the initial values of its registers.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7), "Detection of Intel PT via CPUID". With TraceEn set every
 * RTIT MSR but CTL is unwritable: CTL is cleared first.
 */
#include "pt/engine_state.h"

#include "base/clock.h"
#include "base/init.h"
#include "base/msr.h"
#include "pt/output/scheme.h"
#include "pt/rtit.h"

_Static_assert(sizeof(struct pt_engine) <= 4096, "the ToPA tables follow struct pt_engine on pages of their own");
_Static_assert(PT_ENGINE_SIZE == 4096 * (1 + REGION_RING_MAX_TABLES), "there is room for the ToPA tables");

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

void pt_cpuid_of(struct pt_cpuid *cpuid, const struct pt_options *config)
{
    pt_cpuid_read(cpuid);
    if (config->way == PT_SWITCH_SOFT)
        soft_pt_cpuid(cpuid);
}

static bool has_trace_stop(const struct pt_options *config)
{
    if (config->branches != 0)
        return true;
    for (unsigned i = 0; i < PT_MAX_RANGES; i++)
        if (config->ranges[i].kind == PT_RANGE_STOP)
            return true;
    return false;
}

/* With two values in pt.cr3=, loads of CR3 switch IA32_RTIT_CR3_MATCH between them. Soft PT needs each load for one
 * value as well: it decides whether the guest is stepped. */
static bool follows_cr3(const struct pt_options *config)
{
    return config->cr3[1] != 0 || (config->way == PT_SWITCH_SOFT && config->cr3_on);
}

void pt_setup_apply(struct pt_engine *pt, const struct pt_setup *setup)
{
    pt->rtit_ctl = setup->rtit_ctl;
    pt->follows_cr3 = follows_cr3(&pt->config);
    pt->policy = pt->config.policy;
    /* A flush ends in a PSB+. With soft PT exits have no packets, and it would be the only one in a loop of jumps. */
    pt->flush_tsc = pt->policy == PT_POLICY_RING || pt->config.way == PT_SWITCH_SOFT
                        ? 0
                        : pt->config.flush_ms * (clock_tsc_hz() / 1000);
    pt->trace_stop = has_trace_stop(&pt->config);
    pt_register_write(pt, IA32_RTIT_CTL, pt->rtit_ctl);
    pt->soft.branches_left = pt->config.branches;
    if (setup->has_cr3_match)
        pt_register_write(pt, IA32_RTIT_CR3_MATCH, setup->cr3_match[0]);
    for (uint32_t i = 0; i < setup->nr_ranges; i++) {
        pt_register_write(pt, IA32_RTIT_ADDR0_A + 2 * i, setup->addr_a[i]);
        pt_register_write(pt, IA32_RTIT_ADDR0_A + 2 * i + 1, setup->addr_b[i]);
    }
    pt->setup_generation++;
    pt->window_generation = soft_pt_has_window(&pt->soft) ? pt->setup_generation : 0;
}

/* Initialise all PT registers that we use: a warm reset may have kept their values. TraceEn is clear. */
static void registers_init(struct pt_engine *pt, const struct pt_setup *setup)
{
    struct plan_rearm start = output_start(&pt->out);
    pt_setup_apply(pt, setup);
    pt_registers_write(pt, &start);
}

/* false: this CPU cannot do what config asks for, or cannot write to the regions' addresses. */
static bool setup_configure(struct pt_engine *pt, struct pt_setup *setup, const struct pt_options *config)
{
    struct pt_cpuid cpuid;
    pt_cpuid_of(&cpuid, config);
    if (pt_options_resolve(setup, &cpuid, config) != PT_OK)
        return false;
    pt->config = *config;
    pt->registers = config->way == PT_SWITCH_SOFT ? &pt_soft_registers : &pt_msr_registers;
    pt->soft.regions = (struct soft_memory){pt->regions.va, pt->regions.pa};
    pt->soft.tables = (struct soft_memory){(uint8_t *)pt->tables, pt->tables_pa};

    pt->maxphyaddr = (uint8_t)cpuid.leaf80000008_eax;
    pt->single_region = !(cpuid.leaf14_0[2] & CPUID_14_ECX_MENTRY);
    pt->region_bytes = (uint32_t)config->region_bytes;
    uint64_t end = pt->regions.pa + config->region_bytes * config->nr_regions;
    if ((end - 1) >> pt->maxphyaddr != 0 || pt->regions.pa % pt_scheme_align(setup->scheme, config) != 0)
        return false;
    pt->out = output_make(setup->scheme, !pt->single_region, config, pt->tables_pa, pt->regions.pa);
    return true;
}

INIT_CODE struct pt_engine *pt_engine_init(void *memory, uint64_t memory_pa, uint16_t cpu,
                                           const struct pt_options *config, struct pt_region_memory regions,
                                           struct sink *sink)
{
    struct pt_engine *pt = memory;
    struct pt_setup setup;

    *pt = (struct pt_engine){.cpu = cpu, .sink = sink, .regions = regions};
    if (!config || !config->enabled || !region_ring_size_valid(config->region_bytes, config->nr_regions))
        return pt;
    pt->tables = (uint64_t *)((uint8_t *)memory + 4096);
    pt->tables_pa = memory_pa + 4096;
    if (!setup_configure(pt, &setup, config))
        return pt;
    registers_init(pt, &setup);
    pt->tracing = true;
    pt->unsent_tsc = tsc_read();
    pt->switched_in_root = config->way == PT_SWITCH_ROOT;
    pt->has_lvtpc = config->way != PT_SWITCH_SOFT;
    pt->awaits_start = pt->command_pending = config->trigger_starts;
    return pt;
}

INIT_CODE void pt_begin_at(struct pt_engine *pt, uint64_t offset)
{
    const struct record_gap gap = {.size = offset, .cause = RECORD_GAP_RING};

    if (offset == 0 || !pt->tracing)
        return;
    output_begin_at(&pt->out, offset);
    pt->submitted_end = offset;
    pt_record(pt, RECORD_GAP, &gap, sizeof gap, NULL, 0);
}

void pt_options_parser_set(struct pt_engine *pt, pt_options_parser *parser)
{
    pt->parser = parser;
}

void pt_stall_callback_set(struct pt_engine *pt, pt_stall_callback *waiting, void *context)
{
    pt->stall_callback = waiting;
    pt->stall_context = context;
}
