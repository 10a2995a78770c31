/* Kind: shell, init */
#include "boot/selftest/selftest_facts.h"

#include <string.h>

#include "base/msr.h"
#include "boot/acpi/madt.h"
#include "pt/engine.h"
#include "vmx/vmx.h"

#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define HYPERVISOR_LEAF 0x40000000u

static void copy_words(char text[13], uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t words[3] = {a, b, c};
    memcpy(text, words, sizeof words);
    text[12] = 0;
    for (unsigned i = 0; i < 12; i++) {
        if (text[i] != 0 && (text[i] < ' ' || text[i] > '~'))
            text[i] = '?';
    }
}

static void read_outer_hypervisor(char text[13])
{
    text[0] = 0;
    if (!(cpuid_read(1, 0).ecx & CPUID_1_ECX_HYPERVISOR))
        return;
    const struct cpuid_regs leaf = cpuid_read(HYPERVISOR_LEAF, 0);
    copy_words(text, leaf.ebx, leaf.ecx, leaf.edx);
    if (text[0] == 0)
        memcpy(text, "no name", 8);
}

void selftest_facts_read_vtd(struct machine_facts *facts, const struct selftest *selftest)
{
    facts->nr_remapping = selftest->vtd_request->dmar->nr_units;
    facts->nr_remapping_stuck = selftest->vtd->nr_stuck;
    facts->vtd = selftest->vtd->outcome;
    facts->vtd_why_off = selftest->vtd->why_off;
}

void selftest_facts_read(struct machine_facts *facts, const struct selftest *selftest)
{
    const struct cpuid_regs leaf0 = cpuid_read(0, 0);
    *facts = (struct machine_facts){.efi = selftest->efi,
                                    .vmx = *vmx_caps_read(),
                                    .nr_cpus = selftest->nr_cpus,
                                    .max_cpus = BOOT_MAX_CPUS,
                                    .x2apic_hold = selftest->x2apic_hold,
                                    .x2apic_refused = selftest->x2apic_refused,
                                    .channel = selftest->channel->stage};
    selftest_facts_read_vtd(facts, selftest);
    copy_words(facts->vendor, leaf0.ebx, leaf0.edx, leaf0.ecx);
    read_outer_hypervisor(facts->outer_hypervisor);
    facts->pt = *selftest->cpuid;
}
