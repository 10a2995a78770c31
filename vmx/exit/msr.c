/* Kind: shell */
/* RDMSR and WRMSR exits: carries out the actions of vmx/policy/msr_policy.c. */
#include "vmx/exit/msr.h"
#include "vmx/exit/handlers.h"

#include "vmx/apic/guest_ipi.h"
#include "vmx/apic/ipi.h"
#include "vmx/apic/lapic.h"
#include "vmx/apic/registers.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/exit_counts.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/view.h"
#include "vmx/guest/guest.h"
#include "vmx/guest/memory.h"
#include "vmx/nmi/nmi.h"
#include "vmx/policy/msr_policy.h"
#include "vmx/policy/perf_policy.h"
#include "vmx/smp/kick.h"
#include "vmx/vmcs/bitmaps.h"

#include "base/fixup.h"

#define SVR_SOFTWARE_ENABLE (1ull << 8)
#define SHARED_LARGEST 64u /* bytes at an address that need not be a page's start: KVM's struct kvm_steal_time */
#define CPUID_1_ECX_PDCM (1u << 15)
#define WRMSR_TICKS 10000u /* a WRMSR takes less */

/* Constant. */
struct msr_cpu {
    uint64_t perf_global_ctrl; /* its bits that are not reserved on this CPU */
};
CPU_STATE(msr)

void msr_setup(struct cpu *cpu)
{
    if (!(bitmaps_msr_conditions() & MSR_IF_PERF_CTRL))
        return;
    const struct cpuid_regs leaf = cpuid_read(0xa, 0);
    const bool pdcm = cpuid_read(1, 0).ecx & CPUID_1_ECX_PDCM;
    msr_of(cpu)->perf_global_ctrl =
        perf_global_ctrl_bits(&(struct perf_unit){.cpuid_a_eax = leaf.eax,
                                                  .cpuid_a_ecx = leaf.ecx,
                                                  .cpuid_a_edx = leaf.edx,
                                                  .capabilities = pdcm ? msr_read(IA32_PERF_CAPABILITIES) : 0});
}

/* false: it faults in root mode, and so must for the guest. */
static bool msr_try_read(uint32_t msr, uint64_t *value)
{
    uint32_t low, high, failed;

    __asm__ volatile("xor %[failed], %[failed]\n"
                     "1:\trdmsr\n\t"
                     "jmp 3f\n"
                     "2:\tmov $1, %[failed]\n"
                     "3:\n" FIXUP("1b", "2b")
                     : [failed] "=&r"(failed), "=a"(low), "=d"(high)
                     : "c"(msr)
                     : "memory", "cc");
    *value = (uint64_t)high << 32 | low;
    return !failed;
}

static bool msr_try_write(uint32_t msr, uint64_t value)
{
    uint32_t failed;

    __asm__ volatile("xor %[failed], %[failed]\n"
                     "1:\twrmsr\n\t"
                     "jmp 3f\n"
                     "2:\tmov $1, %[failed]\n"
                     "3:\n" FIXUP("1b", "2b")
                     : [failed] "=&r"(failed)
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory", "cc");
    return !failed;
}

static bool feature_control_read(uint64_t *value)
{
    if (!msr_try_read(IA32_FEATURE_CONTROL, value))
        return false;
    *value |= FEATURE_CONTROL_LOCK;
    *value &= ~(FEATURE_CONTROL_VMX | FEATURE_CONTROL_VMX_IN_SMX | FEATURE_CONTROL_SENTER);
    return true;
}

/* SDM "MTRR Considerations in MP Systems": all CPUs' MTRRs must be the same; while an OS changes them, its other CPUs
 * wait. */
static void memory_types_follow(struct cpu *cpu)
{
    machine_lock(cpu);
    if (ept_memory_types_update()) {
        kick_ept_changed(cpu);
        ept_invalidate(cpu);
    }
    machine_unlock(cpu);
}

/* SDM "IA32_TSC_ADJUST Register": a write of either MSR adds the same to both. Without that MSR (CPUID.7:EBX[1] is 0)
 * it is not known how long the write took. */
static bool tsc_write(struct cpu *cpu, uint32_t msr, uint64_t value)
{
    uint64_t before = 0, after = 0;
    const bool exact = msr_try_read(IA32_TSC_ADJUST, &before);

    if (!exact)
        before = tsc_read();
    if (!msr_try_write(msr, value))
        return false;
    if (!exact || !msr_try_read(IA32_TSC_ADJUST, &after))
        after = tsc_read();
    if (after == before)
        return true;
    exit_counts_tsc_moved(cpu, EXIT_REASON_WRMSR, after - before);
    pt_clock_moved(cpu->pt, after - before, exact ? 0 : WRMSR_TICKS);
    return true;
}

/* VISIBLE: #GP where root mode could not reach the registers. */
static bool apic_base_write(struct cpu *cpu, uint64_t value)
{
    if (!lapic_base_is_usable(value))
        return false;
    if (!(value & APIC_BASE_ENABLED)) /* while this CPU can still kick the others */
        kick_set_unreachable(cpu, true);
    const bool written = msr_try_write(IA32_APIC_BASE, value);
    if (written)
        lapic_guard_follow(cpu);
    kick_set_unreachable(cpu, !(msr_read(IA32_APIC_BASE) & APIC_BASE_ENABLED));
    return written;
}

/* false: #GP */
static bool msr_row_read(struct cpu *cpu, const struct msr_row *row, uint32_t msr, uint64_t *value)
{
    switch (row ? row->read : MSR_NATIVE) {
    case MSR_NATIVE:
        return msr_try_read(msr, value);
    case MSR_FEATURE_CONTROL_OFF:
        return feature_control_read(value);
    case MSR_MASK:
        if (!msr_try_read(msr, value))
            return false;
        *value &= ~row->mask;
        return true;
    case MSR_LVT_PMI:
        *value = lapic_lvtpc_read(cpu);
        return lapic_is_x2apic();
    default:
        return false;
    }
}

static bool msr_row_write(struct cpu *cpu, const struct msr_row *row, uint32_t msr, uint64_t value)
{
    switch (row ? row->write : MSR_NATIVE) {
    case MSR_NATIVE:
        return msr_try_write(msr, value);
    case MSR_MASK:
        return msr_try_write(msr, value & ~row->mask);
    case MSR_PERF_RESET:
        if (!msr_try_write(msr, value & ~row->mask))
            return false;
        nmi_pmis_reset(cpu, value);
        return true;
    case MSR_FORGET:
        return true;
    case MSR_REFUSE:
        return !(value & row->mask) && msr_try_write(msr, value);
    case MSR_TSC:
        return tsc_write(cpu, msr, value);
    case MSR_APIC_BASE:
        return apic_base_write(cpu, value);
    case MSR_SHARED_PAGE: /* VISIBLE */
        return !guest_overlaps_own(value & row->mask, SHARED_LARGEST) && msr_try_write(msr, value);
    case MSR_ICR:
        if (!lapic_is_x2apic() || (value & X2APIC_ICR_RESERVED)) /* the write faults and sends nothing */
            return msr_try_write(msr, value);
        return !guest_ipi_sends(cpu, value) || msr_try_write(msr, value);
    case MSR_LVT_PMI:
        return lapic_is_x2apic() && lapic_lvtpc_write(cpu, value);
    case MSR_SVR:
        return msr_try_write(msr, value | SVR_SOFTWARE_ENABLE);
    case MSR_MTRR:
        if (!msr_try_write(msr, value))
            return false;
        memory_types_follow(cpu);
        return true;
    case MSR_PERF_GLOBAL_CTRL:
        /* The VM exit has cleared the register, and VM entry loads it. It stays 0 in root mode. */
        if (value & ~msr_of(cpu)->perf_global_ctrl)
            return false;
        vmwrite64(VMCS_GUEST_IA32_PERF_GLOBAL_CTRL, value);
        return true;
    default:
        return false;
    }
}

enum exit_action rdmsr_exit(struct cpu *cpu)
{
    struct guest_registers *r = &cpu->registers;
    const uint32_t msr = (uint32_t)r->rcx;
    uint64_t value = 0;

    if (!msr_row_read(cpu, msr_policy_find(msr, bitmaps_msr_conditions()), msr, &value))
        return guest_inject_exception(VECTOR_GP);
    r->rax = (uint32_t)value;
    r->rdx = value >> 32;
    return EXIT_ADVANCE;
}

enum exit_action wrmsr_exit(struct cpu *cpu)
{
    const struct guest_registers *r = &cpu->registers;
    const uint32_t msr = (uint32_t)r->rcx;
    const uint64_t value = (uint64_t)(uint32_t)r->rdx << 32 | (uint32_t)r->rax;

    if (!msr_row_write(cpu, msr_policy_find(msr, bitmaps_msr_conditions()), msr, value))
        return guest_inject_exception(VECTOR_GP);
    return EXIT_ADVANCE;
}
