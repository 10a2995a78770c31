/* Kind: shell, init */
#include "boot/hello.h"

#include <stdarg.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/version.h"
#include "pt/output/scheme.h"

static void hello_copy_regs(uint32_t *to, struct cpuid_regs r)
{
    to[0] = r.eax;
    to[1] = r.ebx;
    to[2] = r.ecx;
    to[3] = r.edx;
}

struct hello_lines {
    char *at;
    size_t size, used;
};

static __attribute__((format(printf, 2, 3))) void hello_add(struct hello_lines *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->used += format_text_v(text->at + text->used, text->size - text->used, format, args);
    va_end(args);
}

static void hello_add_leaf(struct hello_lines *text, const char *name, const uint32_t *regs)
{
    static const char *const suffixes[] = {"eax", "ebx", "ecx", "edx"};
    for (int i = 0; i < 4; i++)
        hello_add(text, "%s_%s 0x%08x\n", name, suffixes[i], regs[i]);
}

/* SDM Vol. 2A, CPUID, "Version Information" (leaf 1: family, model, stepping) and the brand string. */
static void hello_add_processor(struct hello_lines *text)
{
    char vendor[13] = "", brand[49] = "";
    struct cpuid_regs r = cpuid_read(0, 0);
    uint32_t words[12] = {r.ebx, r.edx, r.ecx};
    for (unsigned i = 0; i < 12; i++)
        vendor[i] = (char)(words[i / 4] >> i % 4 * 8);
    uint32_t eax = cpuid_read(1, 0).eax;
    uint32_t family = eax >> 8 & 15, model = eax >> 4 & 15;
    if (family == 6 || family == 15)
        model |= eax >> 12 & 0xf0;
    if (family == 15)
        family += eax >> 20 & 0xff;
    hello_add(text, "cpu_vendor %s\ncpu_family %u\ncpu_model %u\ncpu_stepping %u\n", vendor, family, model, eax & 15);

    if (cpuid_read(0x80000000, 0).eax < 0x80000004)
        return;
    for (uint32_t leaf = 0; leaf < 3; leaf++)
        hello_copy_regs(words + 4 * leaf, cpuid_read(0x80000002 + leaf, 0));
    for (unsigned i = 0; i < 48; i++)
        brand[i] = (char)(words[i / 4] >> i % 4 * 8);
    const char *trimmed = brand;
    while (*trimmed == ' ')
        trimmed++;
    hello_add(text, "cpu_brand %s\n", trimmed);
}

static void hello_add_cpus(struct hello_lines *text, const struct hello_facts *facts)
{
    hello_add(text, "nr_cpus %u\n", facts->nr_cpus);
    for (uint16_t i = 0; i < facts->nr_cpus; i++) {
        const struct boot_cpu *cpu = &facts->cpus[i];
        hello_add(text, "cpu%u_apic_id %u\n", i, cpu->apic_id);
        if (cpu->no_pt)
            hello_add(text, "cpu%u_pt %s\n", i, cpu->no_pt);
        else if (cpu->leaf14_ecx && cpu->leaf14_ecx != facts->cpuid->leaf14_0[2])
            hello_add(text, "cpu%u_cpuid_14_0_ecx 0x%08x\n", i, cpu->leaf14_ecx);
    }
}

/* The RTIT configuration. Only filters that are in use are listed. */
static void hello_add_setup(struct hello_lines *text, const struct hello_facts *facts)
{
    static const char *const ways[] = {
        [PT_SWITCH_ROOT] = "root", [PT_SWITCH_LIST] = "list", [PT_SWITCH_VMCS] = "vmcs", [PT_SWITCH_SOFT] = "soft"};
    const struct pt_setup *setup = facts->setup;
    hello_add(text, "rtit_ctl 0x%016lx\n", setup ? setup->rtit_ctl : 0);
    if (!setup)
        return;
    static const char *const policies[] = {
        [PT_POLICY_STALL] = "stall", [PT_POLICY_DROP] = "drop", [PT_POLICY_RING] = "ring"};
    const struct pt_options *config = facts->config;
    hello_add(text, "pt_switch %s\npolicy %s\npt_region_bytes %lu\npt_regions %u\n", ways[config->way],
              policies[config->policy], config->region_bytes, config->nr_regions);
    hello_add(text, "pt_scheme %s\n", pt_scheme_name(setup->scheme));
    if (setup->cr3_match[0])
        hello_add(text, "rtit_cr3_match 0x%lx\n", setup->cr3_match[0]);
    if (setup->cr3_match[1])
        hello_add(text, "rtit_cr3_match_too 0x%lx\n", setup->cr3_match[1]);
    for (uint32_t i = 0; i < setup->nr_ranges; i++)
        if (setup->addr_b[i])
            hello_add(text, "rtit_addr%u_a 0x%lx\nrtit_addr%u_b 0x%lx\n", i, setup->addr_a[i], i, setup->addr_b[i]);
}

static void hello_add_tracing(struct hello_lines *text, const struct hello_facts *facts)
{
    const struct pt_cpuid *cpuid = facts->cpuid;
    const uint32_t leaf7[4] = {0, cpuid->leaf7_ebx, 0, 0};
    hello_add(text, "cpuid_7_ebx 0x%08x\n", leaf7[1]);
    hello_add_leaf(text, "cpuid_14_0", cpuid->leaf14_0);
    hello_add_leaf(text, "cpuid_14_1", cpuid->leaf14_1);
    hello_add_leaf(text, "cpuid_15", cpuid->leaf15);
    hello_add(text, "maxphyaddr %u\n", cpuid->leaf80000008_eax & 0xff);
    hello_add(text, "vmx_misc 0x%016lx\n", cpuid->vmx_misc);
    hello_add_setup(text, facts);
    hello_add(text, "pt %s\n", facts->pt);
}

uint32_t hello_text(char *buffer, size_t size, const struct hello_facts *facts)
{
    struct hello_lines text = {buffer, size, 0};
    hello_add(&text, "version %s\n", UNDERTRACE_VERSION);
    hello_add_processor(&text);
    hello_add_cpus(&text, facts);
    hello_add(&text, "tsc_khz %lu\n", clock_tsc_hz() / 1000);
    if (cpuid_read(0, 0).eax >= 0x16)
        hello_add(&text, "cpuid_16_eax 0x%08x\n", cpuid_read(0x16, 0).eax);
    hello_add_tracing(&text, facts);
    hello_add(&text, "channel %s\n", facts->channel);
    if (facts->compression)
        hello_add(&text, "compression %s\n", facts->compression);
    hello_add(&text, "image_base 0x%016lx\nimage_pa 0x%lx\nimage_bytes %lu\n", facts->image_base, facts->image_pa,
              facts->image_bytes);
    hello_add(&text, "reserved_start 0x%lx\nreserved_end 0x%lx\n", facts->reserved_start, facts->reserved_end);
    hello_add(&text, "options %s\n", facts->options);
    hello_add(&text, "guest %s\n", facts->guest);
    hello_add(&text, "guest_line %s\n", facts->guest_line);
    return (uint32_t)text.used;
}
