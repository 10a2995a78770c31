/* Kind: shell, init */
#include "boot/selftest/selftest_facts.h"

#include <string.h>

#include "base/msr.h"
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

static void read_beneath(char text[13])
{
    text[0] = 0;
    if (!(cpuid_read(1, 0).ecx & CPUID_1_ECX_HYPERVISOR))
        return;
    const struct cpuid_regs leaf = cpuid_read(HYPERVISOR_LEAF, 0);
    copy_words(text, leaf.ebx, leaf.ecx, leaf.edx);
    if (text[0] == 0)
        memcpy(text, "no name", 8);
}

void selftest_facts_read_vtd(struct machine_facts *facts, const struct boot_state *boot)
{
    facts->nr_remapping = boot->acpi.dmar.nr_units;
    facts->nr_remapping_stuck = boot->nr_remapping_stuck;
    facts->vtd = boot->vtd;
    facts->no_vtd = boot->no_vtd;
}

void selftest_facts_read(struct machine_facts *facts, const struct boot_state *boot)
{
    const struct cpuid_regs leaf0 = cpuid_read(0, 0);
    *facts = (struct machine_facts){.efi = boot->info.efi_system_table != 0,
                                    .vmx = *vmx_caps_read(),
                                    .nr_cpus = boot->acpi.cpus.nr,
                                    .most_cpus = BOOT_MAX_CPUS,
                                    .channel = boot->channel.stage};
    selftest_facts_read_vtd(facts, boot);
    copy_words(facts->vendor, leaf0.ebx, leaf0.edx, leaf0.ecx);
    read_beneath(facts->beneath);
    facts->pt = boot->cpuid; /* the CPU's own: with selftest=on soft PT does not stand in for it (boot/check.c) */
}
