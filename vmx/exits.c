/* VM exits: from reason to handler. Only the dispatcher moves RIP. */
#include "vmx/cpu.h"
#include "vmx/vmcs.h"

#include "pt/msr.h"

#define EXIT_REASON_ENTRY_FAILURE (1u << 31)

static enum exit_action cpuid_exit(struct cpu *cpu)
{
    struct guest_registers *r = &cpu->registers;
    const uint32_t leaf = cpuid_effective_leaf((uint32_t)r->rax, cpu->cpuid_limits), subleaf = (uint32_t)r->rcx;
    struct cpuid_guest guest = {0};

    if (cpuid_needs_guest(leaf))
        guest = (struct cpuid_guest){.cr4 = guest_cr4_seen(), .code64 = guest_code64()};
    const struct cpuid_regs real = cpuid_read(leaf, subleaf);
    const struct cpuid_values v =
        cpuid_policy_apply(leaf, subleaf, (struct cpuid_values){real.eax, real.ebx, real.ecx, real.edx}, &guest);
    r->rax = v.eax;
    r->rbx = v.ebx;
    r->rcx = v.ecx;
    r->rdx = v.edx;
    return EXIT_ADVANCE;
}

/* VMX and SMX instructions do not exist on a CPU whose CPUID shows neither. */
static enum exit_action undefined_exit(struct cpu *cpu)
{
    (void)cpu;
    return guest_inject_exception(VECTOR_UD);
}

/* INVD would drop what root mode has written and not stored yet: WBINVD instead. */
static enum exit_action invd_exit(struct cpu *cpu)
{
    (void)cpu;
    __asm__ volatile("wbinvd" : : : "memory");
    return EXIT_ADVANCE;
}

/* The numbers are those of SDM Appendix C, "VMX Basic Exit Reasons". */
static exit_handler *const handlers[NR_EXIT_REASONS] = {
    [0] = nmi_exit,        [2] = triple_fault_exit,   [3] = init_exit,
    [8] = nmi_window_exit, [10] = cpuid_exit,         [11] = undefined_exit,
    [13] = invd_exit,      [18] = undefined_exit,     [19] = undefined_exit,
    [20] = undefined_exit, [21] = undefined_exit,     [22] = undefined_exit,
    [23] = undefined_exit, [24] = undefined_exit,     [25] = undefined_exit,
    [26] = undefined_exit, [27] = undefined_exit,     [28] = cr_access_exit,
    [30] = io_exit,        [31] = rdmsr_exit,         [32] = wrmsr_exit,
    [37] = step_exit,      [48] = ept_violation_exit, [50] = undefined_exit,
    [53] = undefined_exit, [55] = xsetbv_exit,        [59] = undefined_exit,
};

const char *const exit_reason_names[NR_EXIT_REASONS] = {
    [0] = "exception_or_nmi",
    [1] = "external_interrupt",
    [2] = "triple_fault",
    [3] = "init_signal",
    [4] = "sipi",
    [5] = "io_smi",
    [6] = "other_smi",
    [7] = "interrupt_window",
    [8] = "nmi_window",
    [9] = "task_switch",
    [10] = "cpuid",
    [11] = "getsec",
    [12] = "hlt",
    [13] = "invd",
    [14] = "invlpg",
    [15] = "rdpmc",
    [16] = "rdtsc",
    [17] = "rsm",
    [18] = "vmcall",
    [19] = "vmclear",
    [20] = "vmlaunch",
    [21] = "vmptrld",
    [22] = "vmptrst",
    [23] = "vmread",
    [24] = "vmresume",
    [25] = "vmwrite",
    [26] = "vmxoff",
    [27] = "vmxon",
    [28] = "control_register_accesses",
    [29] = "mov_dr",
    [30] = "io_instruction",
    [31] = "rdmsr",
    [32] = "wrmsr",
    [33] = "entry_failure_guest_state",
    [34] = "entry_failure_msr_loading",
    [36] = "mwait",
    [37] = "monitor_trap_flag",
    [39] = "monitor",
    [40] = "pause",
    [41] = "entry_failure_machine_check",
    [43] = "tpr_below_threshold",
    [44] = "apic_access",
    [45] = "virtualized_eoi",
    [46] = "gdtr_idtr_access",
    [47] = "ldtr_tr_access",
    [48] = "ept_violation",
    [49] = "ept_misconfiguration",
    [50] = "invept",
    [51] = "rdtscp",
    [52] = "preemption_timer_expired",
    [53] = "invvpid",
    [54] = "wbinvd",
    [55] = "xsetbv",
    [56] = "apic_write",
    [57] = "rdrand",
    [58] = "invpcid",
    [59] = "vmfunc",
    [60] = "encls",
    [61] = "rdseed",
    [62] = "page_modification_log_full",
    [63] = "xsaves",
    [64] = "xrstors",
};

void vmx_exit_dispatch(struct guest_registers *registers)
{
    struct cpu *cpu = cpu_of(registers);

    pt_exit(cpu->pt);
    const uint32_t reason = vmread32(VMCS_EXIT_REASON);
    const uint32_t basic = reason & 0xffff;
    if (basic < NR_EXIT_REASONS)
        cpu->exits[basic]++;
    if ((reason & EXIT_REASON_ENTRY_FAILURE) || basic >= NR_EXIT_REASONS || !handlers[basic])
        fail_stop(cpu, "a VM exit that nobody handles");

    switch (handlers[basic](cpu)) {
    case EXIT_ADVANCE:
        guest_advance_rip();
        break;
    case EXIT_RETRY:
        guest_redeliver();
        break;
    case EXIT_INJECTED:
        break;
    }
    if (cpu->nmis_in_root | cpu->nmis_owed)
        nmi_deliver(cpu);
    pt_enter(cpu->pt);
}

void vmx_nmi_before_entry(struct guest_registers *registers)
{
    struct cpu *cpu = cpu_of(registers);

    pt_exit(cpu->pt);
    nmi_deliver(cpu);
    pt_enter(cpu->pt);
}
