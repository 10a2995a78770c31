/* Kind: shell, init */
/* Entering VMX operation: whether it is possible, what all CPUs share, and one CPU's way to the guest. */
#include "vmx/vmx.h"

#include <string.h>

#include "base/control.h"
#include "base/msr.h"
#include "base/phys.h"
#include "vmx/apic/guest_ipi.h"
#include "vmx/apic/lapic.h"
#include "vmx/code/code.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/mitigations.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/view.h"
#include "vmx/exit/exit.h"
#include "vmx/nmi/nmi.h"
#include "vmx/policy/msr_policy.h"
#include "vmx/smp/kick.h"
#include "vmx/smp/power.h"
#include "vmx/smp/requests.h"
#include "vmx/vmcs/bitmaps.h"
#include "vmx/vmcs/running.h"
#include "vmx/vmcs/setup.h"

#define INVVPID_SINGLE_CONTEXT 1ull
#define VMX_BASIC_REVISION 0x7fffffffull
#define CPUID_1_ECX_VMX (1u << 5)
#define CPUID_1_ECX_XSAVE (1u << 26)
#define CPUID_1_EDX_MCE (1u << 7)

const uint32_t vmx_cpu_size = sizeof(struct cpu);

/* The first CPU's; constant once vmx_switch_check has returned. CPUs that differ are not used. */
static struct vmx_controls controls;
static struct vmx_caps first_caps;

static void read_control_msrs(struct vmx_caps *caps)
{
    caps->basic = msr_read(IA32_VMX_BASIC);
    const bool exact = caps->basic & VMX_BASIC_TRUE_CONTROLS;
    caps->pin = msr_read(exact ? IA32_VMX_TRUE_PINBASED_CTLS : IA32_VMX_PINBASED_CTLS);
    caps->proc = msr_read(exact ? IA32_VMX_TRUE_PROCBASED_CTLS : IA32_VMX_PROCBASED_CTLS);
    caps->exit = msr_read(exact ? IA32_VMX_TRUE_EXIT_CTLS : IA32_VMX_EXIT_CTLS);
    caps->entry = msr_read(exact ? IA32_VMX_TRUE_ENTRY_CTLS : IA32_VMX_ENTRY_CTLS);
    /* Each of these exists only if the control before it does. */
    if ((uint32_t)(caps->proc >> 32) & PROC_SECONDARY_CONTROLS)
        caps->proc2 = msr_read(IA32_VMX_PROCBASED_CTLS2);
    if ((uint32_t)(caps->proc2 >> 32) & (PROC2_ENABLE_EPT | PROC2_ENABLE_VPID))
        caps->ept_vpid = msr_read(IA32_VMX_EPT_VPID_CAP);
}

const char *vmx_switch_check(enum pt_switch way)
{
    struct vmx_caps caps = {0};

    if (way != PT_SWITCH_VMCS)
        return NULL;
    read_control_msrs(&caps);
    return vmx_controls_switch_rtit(&controls, &caps);
}

/* NULL: this CPU has VMX, and *caps is filled in. */
static const char *read_caps(struct vmx_caps *caps)
{
    *caps = (struct vmx_caps){.cpuid_1_ecx = cpuid_read(1, 0).ecx};
    if (caps->cpuid_1_ecx & CPUID_1_ECX_VMX)
        caps->feature_control = msr_read(IA32_FEATURE_CONTROL);
    const char *missing = vmx_caps_check(caps);
    if (missing)
        return missing;
    if (cpuid_read(0, 0).eax >= 0xa)
        caps->perfmon_version = cpuid_read(0xa, 0).eax & 0xff;
    read_control_msrs(caps);
    caps->misc = msr_read(IA32_VMX_MISC);
    return NULL;
}

const char *vmx_check(void)
{
    const char *missing = read_caps(&first_caps);

    return missing ? missing : vmx_controls_resolve(&controls, &first_caps);
}

const struct vmx_caps *vmx_caps_read(void)
{
    return &first_caps;
}

const char *vmx_cpu_check(void)
{
    struct vmx_caps caps;
    const char *missing = read_caps(&caps);

    if (missing)
        return missing;
    if (!(caps.misc & VMX_MISC_WAIT_FOR_SIPI))
        return "this CPU's VMX has no wait-for-SIPI activity state (IA32_VMX_MISC[8] is 0)";
    return vmx_caps_differ(&first_caps, &controls, &caps);
}

static uint32_t msr_conditions(const struct vmx_machine *config)
{
    uint32_t conditions = config->watch_lvtpc ? MSR_IF_PT : 0;

    if (config->watch_ipis)
        conditions |= MSR_IF_IPIS;

    if (controls.perf_global_ctrl && !controls.perf_global_ctrl_saved)
        conditions |= MSR_IF_PERF_CTRL;
    return conditions;
}

const char *vmx_machine_init(const struct vmx_machine *config)
{
    machine.config = *config;
    guest_ipi_set_kick(requests_nmis_sent);
    code_number_first(config->first_code);
    const char *failed = ept_build(config);
    return failed ? failed : bitmaps_build(&config->ports, msr_conditions(config));
}

static void lock_feature_control(uint64_t unlocked)
{
    struct cpuid_regs leaf_7 = {0};

    if (cpuid_read(0, 0).eax >= 7)
        leaf_7 = cpuid_read(7, 0);
    msr_write(IA32_FEATURE_CONTROL, vmx_feature_control(unlocked, leaf_7.ebx, leaf_7.ecx));
}

static void enter_vmx_operation(struct cpu *cpu)
{
    const uint64_t feature_control = msr_read(IA32_FEATURE_CONTROL);
    const uint32_t revision = (uint32_t)(msr_read(IA32_VMX_BASIC) & VMX_BASIC_REVISION);
    const uint64_t vmxon_pa = virt_to_phys(cpu->vmxon_region), vmcs_pa = virt_to_phys(cpu->vmcs_region);
    uint64_t cr0, cr4;
    uint8_t failed;

    if (!(feature_control & FEATURE_CONTROL_LOCK))
        lock_feature_control(feature_control);
    __asm__ volatile("mov %%cr0, %0\n\tmov %%cr4, %1" : "=r"(cr0), "=r"(cr4));
    cr0 = (cr0 | msr_read(IA32_VMX_CR0_FIXED0)) & msr_read(IA32_VMX_CR0_FIXED1);
    cr4 = (cr4 | msr_read(IA32_VMX_CR4_FIXED0)) & msr_read(IA32_VMX_CR4_FIXED1);
    if (cpuid_read(1, 0).edx & CPUID_1_EDX_MCE)
        cr4 |= CR4_MCE; /* so that a machine check in root mode is dumped and does not shut the CPU down */
    if (cpuid_read(1, 0).ecx & CPUID_1_ECX_XSAVE)
        cr4 |= CR4_OSXSAVE;                        /* for the guest's XSETBV */
    cr4 |= msr_read(IA32_VMX_CR4_FIXED1) & CR4_KL; /* for CPUID's result: vmx/policy/cpuid_policy.c */
    __asm__ volatile("mov %0, %%cr0\n\tmov %1, %%cr4" : : "r"(cr0), "r"(cr4) : "memory");

    memcpy(cpu->vmxon_region, &revision, sizeof revision);
    memcpy(cpu->vmcs_region, &revision, sizeof revision);
    __asm__ volatile("vmxon %[pa]" : "=@ccbe"(failed) : [pa] "m"(vmxon_pa) : "memory");
    if (failed)
        fail_stop(cpu, "VMXON failed");
    __asm__ volatile("vmclear %[pa]" : "=@ccbe"(failed) : [pa] "m"(vmcs_pa) : "memory");
    if (failed)
        fail_stop(cpu, "VMCLEAR failed");
    __asm__ volatile("vmptrld %[pa]" : "=@ccbe"(failed) : [pa] "m"(vmcs_pa) : "memory");
    if (failed)
        fail_stop(cpu, "VMPTRLD failed");
    fail_stop_vmcs_ready(cpu);
}

/* An earlier user of VMX, firmware for instance, may have left translations tagged with our VPID and EPTP. */
static void drop_translations(const struct cpu *cpu)
{
    const struct {
        uint64_t vpid, linear_address;
    } descriptor = {VPID_OF_GUEST, 0};
    uint8_t failed;

    ept_invalidate(cpu);
    if (!(cpu->controls.proc2 & PROC2_ENABLE_VPID))
        return;
    __asm__ volatile("invvpid %[descriptor], %[type]"
                     : "=@ccbe"(failed)
                     : [descriptor] "m"(descriptor), [type] "r"(INVVPID_SINGLE_CONTEXT)
                     : "memory");
    if (failed)
        fail_stop_here("INVVPID failed");
}

static void cpu_init(struct cpu *cpu, uint16_t number, uint32_t apic_id, struct pt_engine *pt)
{
    cpu->number = number;
    cpu->apic_id = apic_id;
    cpu->pt = pt;
    cpu->controls = controls;
    if (!machine.config.poll_tsc)
        cpu->controls.pin &= ~PIN_PREEMPTION_TIMER;
    nmi_init(cpu);
    msr_write(IA32_GS_BASE, (uint64_t)(uintptr_t)cpu);
    pt_stall_callback_set(pt, requests_serve_waiting, cpu);
    machine_lock(cpu);
    ept_view_init(cpu);
    machine_unlock(cpu);
}

static void cpu_prepare(struct cpu *cpu, uint16_t number, uint32_t apic_id, struct pt_engine *pt,
                        const struct vmx_entry *entry)
{
    fail_stop_set_hand_over(power_fail);
    cpu_init(cpu, number, apic_id, pt);
    enter_vmx_operation(cpu);
    vmcs_setup(cpu, entry);
    if (entry && entry->running)
        vmcs_setup_guest_running(cpu, entry->running);
    mitigations_setup(cpu);
    exit_setup(cpu);
    drop_translations(cpu);
    if (machine.config.watch_lvtpc)
        nmi_forget_pmis(cpu);
    lapic_guard_start(cpu);
    __atomic_store_n(&machine.cpus[number], cpu, __ATOMIC_SEQ_CST);
    if (entry)
        cpu->registers = (struct guest_registers){.rsi = entry->esi};
}

_Noreturn void vmx_cpu_run(void *memory, uint16_t number, uint32_t apic_id, struct pt_engine *pt,
                           const struct vmx_entry *entry)
{
    struct cpu *cpu = memory;

    cpu_prepare(cpu, number, apic_id, pt, entry);
    vmx_start(cpu, entry != NULL);
}

bool vmx_cpus_waiting(uint16_t nr)
{
    for (unsigned i = 1; i < nr; i++) {
        const struct cpu *cpu = __atomic_load_n(&machine.cpus[i], __ATOMIC_SEQ_CST);

        if (!cpu || !kick_waits_for_sipi(cpu))
            return false;
    }
    return true;
}
