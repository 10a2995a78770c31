/* Facts about the CPUs: /proc/cpuinfo, CPUID, MSRs, and the capabilities that Linux's driver for Intel PT reports. */
#include <stdlib.h>
#include <string.h>

#include "boot/pt_same.h"
#include "decode/doctor/facts_parts.h"
#include "decode/doctor/registers.h"
#include "decode/doctor/tree.h"
#include "pt/rtit.h"

#define CPUID_1_ECX_VMX (1u << 5)
#define CPUID_1_ECX_HYPERVISOR (1u << 31)
#define MAX_CPUS_LOOKED_AT 256u
#define APIC_BASE_X2APIC (1u << 10)

/* Does a list of words, separated by spaces, contain the word? */
static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

static void take_field(struct facts_cpu *cpu, const char *name, const char *value)
{
    if (!strcmp(name, "processor"))
        cpu->nr_cpus++;
    if (cpu->nr_cpus > 1) /* the first one's */
        return;
    if (!strcmp(name, "vendor_id"))
        snprintf(cpu->vendor, sizeof(cpu->vendor), "%s", value);
    else if (!strcmp(name, "model name"))
        snprintf(cpu->name, sizeof(cpu->name), "%s", value);
    else if (!strcmp(name, "cpu family"))
        cpu->family = (unsigned)strtoul(value, NULL, 10);
    else if (!strcmp(name, "model"))
        cpu->model = (unsigned)strtoul(value, NULL, 10);
    else if (!strcmp(name, "stepping"))
        cpu->stepping = (unsigned)strtoul(value, NULL, 10);
    else if (!strcmp(name, "flags")) {
        cpu->flag_vmx = has_word(value, "vmx");
        cpu->hypervisor = has_word(value, "hypervisor");
        cpu->pt.leaf7_ebx = has_word(value, "intel_pt") ? CPUID_7_EBX_PT : 0;
    }
}

static void read_cpuinfo(struct facts_cpu *cpu, const char *root)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = tree_open(root, "/proc/cpuinfo");
    while (file && getline(&line, &size, file) > 0) {
        char *colon = strchr(line, ':');
        if (!colon)
            continue;
        line[strcspn(line, "\n")] = 0;
        char *end = colon;
        while (end > line && (end[-1] == '\t' || end[-1] == ' '))
            end--;
        *end = 0;
        take_field(cpu, line, colon[1] == ' ' ? colon + 2 : colon + 1);
    }
    free(line);
    if (file)
        fclose(file);
}

/* If CPUID cannot be read: the capabilities that the driver reports suffice to choose an output scheme. */
static void read_pt_driver(struct pt_cpuid *pt, const char *root)
{
    static const struct {
        const char *name;
        unsigned reg;
        uint32_t bit;
    } caps[] = {
        {"cr3_filtering", 1, CPUID_14_EBX_CR3_FILTER},
        {"psb_cyc", 1, CPUID_14_EBX_CPSB_CAM},
        {"ip_filtering", 1, CPUID_14_EBX_IP_FILTER},
        {"mtc", 1, CPUID_14_EBX_MTC},
        {"ptwrite", 1, CPUID_14_EBX_PTWRITE},
        {"topa_output", 2, CPUID_14_ECX_TOPAOUT},
        {"topa_multiple_entries", 2, CPUID_14_ECX_MENTRY},
        {"single_range_output", 2, CPUID_14_ECX_SNGLRNGOUT},
    };
    char path[96], text[16];
    for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
        snprintf(path, sizeof(path), "/sys/bus/event_source/devices/intel_pt/caps/%s", caps[i].name);
        if (!tree_text(text, sizeof(text), root, path))
            continue;
        pt->leaf0_eax = 0x14;
        pt->leaf7_ebx |= CPUID_7_EBX_PT;
        if (strtoul(text, NULL, 16))
            pt->leaf14_0[caps[i].reg] |= caps[i].bit;
    }
}

static bool read_pt_cpuid(struct pt_cpuid *pt, const char *root, unsigned cpu)
{
    uint32_t r[NR_REGISTERS];
    if (!registers_cpuid(r, root, cpu, 0, 0))
        return false;
    pt->leaf0_eax = r[REGISTER_EAX];
    pt->leaf7_ebx = 0;
    if (pt->leaf0_eax >= 7 && registers_cpuid(r, root, cpu, 7, 0))
        pt->leaf7_ebx = r[REGISTER_EBX];
    if (pt->leaf0_eax >= 0x14 && (pt->leaf7_ebx & CPUID_7_EBX_PT)) {
        registers_cpuid(pt->leaf14_0, root, cpu, 0x14, 0);
        if (pt->leaf14_0[0] >= 1)
            registers_cpuid(pt->leaf14_1, root, cpu, 0x14, 1);
    }
    if (pt->leaf0_eax >= 0x15)
        registers_cpuid(pt->leaf15, root, cpu, 0x15, 0);
    if (registers_cpuid(r, root, cpu, 0x80000008, 0))
        pt->leaf80000008_eax = r[REGISTER_EAX];
    return true;
}

/* Different kinds of cores may have different features. The numbers of CPUs may have gaps: offline CPUs. */
static void look_at_others(struct facts_cpu *cpu, const char *root)
{
    for (unsigned i = 1; i < MAX_CPUS_LOOKED_AT && !cpu->other_why; i++) {
        struct pt_cpuid other = {.vmx_misc = cpu->pt.vmx_misc};
        if (!read_pt_cpuid(&other, root, i))
            continue;
        cpu->other_why = pt_same_check(&cpu->pt, &other);
        cpu->other_cpu = i;
    }
}

/* The MSRs that the hypervisor reads: vmx/vmx.c. */
static void read_msrs(struct facts_cpu *cpu, const char *root)
{
    struct vmx_caps *vmx = &cpu->vmx;
    if (!(vmx->cpuid_1_ecx & CPUID_1_ECX_VMX) || !registers_msr(&vmx->feature_control, root, 0, IA32_FEATURE_CONTROL) ||
        !registers_msr(&vmx->basic, root, 0, IA32_VMX_BASIC))
        return;
    const bool exact = vmx->basic & VMX_BASIC_TRUE_CONTROLS;
    cpu->msrs_known =
        registers_msr(&vmx->pin, root, 0, exact ? IA32_VMX_TRUE_PINBASED_CTLS : IA32_VMX_PINBASED_CTLS) &&
        registers_msr(&vmx->proc, root, 0, exact ? IA32_VMX_TRUE_PROCBASED_CTLS : IA32_VMX_PROCBASED_CTLS) &&
        registers_msr(&vmx->exit, root, 0, exact ? IA32_VMX_TRUE_EXIT_CTLS : IA32_VMX_EXIT_CTLS) &&
        registers_msr(&vmx->entry, root, 0, exact ? IA32_VMX_TRUE_ENTRY_CTLS : IA32_VMX_ENTRY_CTLS) &&
        registers_msr(&vmx->misc, root, 0, IA32_VMX_MISC);
    /* MSRs that not every CPU has. */
    registers_msr(&vmx->proc2, root, 0, IA32_VMX_PROCBASED_CTLS2);
    registers_msr(&vmx->ept_vpid, root, 0, IA32_VMX_EPT_VPID_CAP);
    cpu->pt.vmx_misc = vmx->misc;
    if (cpu->pt.leaf7_ebx & CPUID_7_EBX_PT)
        registers_msr(&cpu->pt.rtit_ctl, root, 0, IA32_RTIT_CTL);
}

/* As boot/x2apic_leave.c reads it. */
static bool read_x2apic_locked(const char *root)
{
    uint64_t base, capabilities, status;
    return registers_msr(&base, root, 0, IA32_APIC_BASE) && (base & APIC_BASE_X2APIC) &&
           registers_msr(&capabilities, root, 0, IA32_ARCH_CAPABILITIES) &&
           (capabilities & ARCH_CAPABILITIES_XAPIC_DISABLE) &&
           registers_msr(&status, root, 0, IA32_XAPIC_DISABLE_STATUS) && (status & LEGACY_XAPIC_DISABLED);
}

void facts_read_cpu(struct facts_cpu *cpu, const char *root)
{
    uint32_t r[NR_REGISTERS];
    read_cpuinfo(cpu, root);
    cpu->cpuid_known = registers_cpuid(r, root, 0, 1, 0);
    if (cpu->cpuid_known) {
        cpu->vmx.cpuid_1_ecx = r[REGISTER_ECX];
        cpu->hypervisor |= (r[REGISTER_ECX] & CPUID_1_ECX_HYPERVISOR) != 0;
        read_pt_cpuid(&cpu->pt, root, 0);
        if (cpu->pt.leaf0_eax >= 0xa && registers_cpuid(r, root, 0, 0xa, 0))
            cpu->vmx.perfmon_version = r[REGISTER_EAX] & 0xff;
    } else {
        cpu->vmx.cpuid_1_ecx = cpu->flag_vmx ? CPUID_1_ECX_VMX : 0;
        read_pt_driver(&cpu->pt, root);
    }
    read_msrs(cpu, root);
    cpu->x2apic_locked = read_x2apic_locked(root);
    if (cpu->cpuid_known)
        look_at_others(cpu, root);
}
