/* The CPU, by the hypervisor's own judgement where all of its registers are known: vmx/caps.h, pt/caps.h. */
#include <string.h>

#include "decode/doctor/cpu_model.h"
#include "decode/doctor/judge_parts.h"
#include "pt/rtit.h"

#define MAX_CPUS 64u
#define CPUID_1_ECX_VMX (1u << 5)
#define FIRMWARE_VMX                                                                                                   \
    "turn on \"Intel Virtualization Technology\" (VT-x, VMX) in the firmware's setup, then switch the power off and "  \
    "on"
#define ROOT_MSR "run as root, with the module msr loaded (modprobe msr)"

static void judge_model(struct findings *findings, const struct facts_cpu *cpu)
{
    const char *name = cpu_model_name(cpu->family, cpu->model);
    if (name)
        finding_add(findings, "cpu", FINDING_GOOD, "%s: %s (%02X_%02XH), stepping %u", cpu->name, name, cpu->family,
                    cpu->model, cpu->stepping);
    else
        finding_add(findings, "cpu", FINDING_NOTE, "%s: %02X_%02XH, stepping %u: its errata are not known to us",
                    cpu->name, cpu->family, cpu->model, cpu->stepping);
}

/* If the firmware has locked VMX off, Linux clears its flag; some firmware also clears the bit of CPUID. */
static void judge_vmx(struct findings *findings, const struct facts_cpu *cpu)
{
    struct vmx_controls controls;
    const bool has = cpu->vmx.cpuid_1_ecx & CPUID_1_ECX_VMX;
    const char *missing = cpu->msrs_known ? vmx_caps_check(&cpu->vmx) : NULL;
    if (has && missing) {
        finding_add(findings, "vmx", FINDING_BAD, "%s", missing);
        finding_remedy(findings, FIRMWARE_VMX);
    } else if (!has) {
        finding_add(findings, "vmx", FINDING_BAD,
                    cpu->cpuid_known ? "CPUID reports no VMX (CPUID.1:ECX[5] is 0)"
                                     : "no VMX: the CPU has none, or the firmware has locked it off");
        finding_remedy(findings, cpu->hypervisor ? "on the machine below, turn on nested virtualization for this one"
                                                 : FIRMWARE_VMX);
    } else if (!cpu->msrs_known && !cpu->flag_vmx) {
        finding_add(findings, "vmx", FINDING_BAD,
                    "the CPU has VMX, and the kernel says that the firmware has locked it off");
        finding_remedy(findings, FIRMWARE_VMX);
    } else if (!cpu->msrs_known) {
        finding_add(findings, "vmx", FINDING_GOOD, "there, not locked off");
        finding_add(findings, "vmx-controls", FINDING_UNSEEN,
                    "MSRs 480H to 490H say whether it has all required controls");
        finding_remedy(findings, ROOT_MSR);
    } else if ((missing = vmx_controls_resolve(&controls, &cpu->vmx)) != NULL) {
        finding_add(findings, "vmx-controls", FINDING_BAD, "%s", missing);
    } else {
        finding_add(findings, "vmx", FINDING_GOOD, "there, not locked off, with all required controls");
    }
}

static const char *pt_remedy(enum pt_refusal refusal, const struct facts_cpu *cpu)
{
    switch (refusal) {
    case PT_NO_CPUID:
        return cpu->hypervisor ? "hypervisors hide it from their guests: boot the machine itself"
                               : "Intel PT is in Core CPUs since Broadwell, in VMX operation since Skylake, in Atoms "
                                 "since Goldmont";
    case PT_NO_VMX_MISC_14:
        return cpu->hypervisor ? "boot the machine itself" : "";
    case PT_TRACE_ENABLED:
        return "stop what uses it (perf record -e intel_pt), or turn off processor trace in the firmware's setup";
    default:
        return "";
    }
}

static void say_pt(struct findings *findings, const struct pt_cpuid *pt, const struct pt_setup *setup)
{
    static const char *const schemes[] = {[PT_SCHEME_TOPA] = "ToPA tables of many regions",
                                          [PT_SCHEME_SINGLE] = "ToPA tables of one region",
                                          [PT_SCHEME_RANGE] = "a single range without interrupts"};
    const uint32_t ebx = pt->leaf14_0[1];
    finding_add(findings, "pt", FINDING_GOOD, "there: %s; CR3 filter %s, %u address ranges, CYC %s, MTC %s, PTWRITE %s",
                schemes[setup->scheme], ebx & CPUID_14_EBX_CR3_FILTER ? "yes" : "no", setup->nr_ranges,
                ebx & CPUID_14_EBX_CPSB_CAM ? "yes" : "no", ebx & CPUID_14_EBX_MTC ? "yes" : "no",
                ebx & CPUID_14_EBX_PTWRITE ? "yes" : "no");
}

static void judge_pt(struct findings *findings, const struct facts_cpu *cpu)
{
    /* boot/options/options.c's defaults, as far as they matter here. */
    const struct pt_options plain = {.enabled = true,
                                     .region_bytes = 512u << 10,
                                     .nr_regions = 8,
                                     .os = true,
                                     .user = true,
                                     .tsc = true,
                                     .psb_bytes = PT_PSB_AUTO};
    struct pt_cpuid pt = cpu->pt;
    struct pt_setup setup;
    if (!cpu->msrs_known)
        pt.vmx_misc |= VMX_MISC_PT_IN_VMX; /* not known: reported below */
    const enum pt_refusal refusal = pt_options_resolve(&setup, &pt, &plain);
    if (refusal != PT_OK) {
        finding_add(findings, "pt", FINDING_SLOW, "%s: the guest can be traced by single steps only",
                    pt_refusal_text(refusal));
        finding_remedy(findings, "%s", pt_remedy(refusal, cpu));
        return;
    }
    say_pt(findings, &pt, &setup);
    if (!cpu->msrs_known) {
        finding_add(findings, "pt-in-vmx", FINDING_UNSEEN,
                    "bit 14 of MSR 485H says whether Intel PT works in VMX operation");
        finding_remedy(findings, ROOT_MSR);
    }
}

void findings_judge_cpu(struct findings *findings, const struct facts *facts)
{
    const struct facts_cpu *cpu = &facts->cpu;
    if (!cpu->vendor[0]) {
        finding_add(findings, "cpu", FINDING_UNSEEN, "not known: /proc/cpuinfo is missing, or names no vendor");
        return;
    }
    if (strcmp(cpu->vendor, "GenuineIntel") != 0) {
        finding_add(findings, "cpu", FINDING_BAD, "%s (%s) is not an Intel CPU: it has neither VMX nor Intel PT",
                    cpu->name[0] ? cpu->name : "this", cpu->vendor);
        return;
    }
    judge_model(findings, cpu);
    if (cpu->hypervisor)
        finding_add(findings, "hypervisor", FINDING_NOTE, "this is a virtual machine, with a hypervisor below");
    judge_vmx(findings, cpu);
    judge_pt(findings, cpu);
    if (cpu->nr_cpus > MAX_CPUS) {
        finding_add(findings, "cpus", FINDING_BAD, "%u CPUs; at most %u are supported", cpu->nr_cpus, MAX_CPUS);
        finding_remedy(findings, "turn off Hyper-Threading, or cores, in the firmware's setup");
    } else {
        finding_add(findings, "cpus", FINDING_GOOD, "%u", cpu->nr_cpus);
    }
    if (cpu->other_why)
        finding_add(findings, "cpus", FINDING_NOTE, "CPU %u: %s; it is not traced", cpu->other_cpu, cpu->other_why);
}
