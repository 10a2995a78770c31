/*
 * LVTPC, the local APIC's entry for performance-monitoring interrupts, belongs to PT while PT is on: NMI, unmasked. The
 * guest keeps a value of its own here.
 *
 * In x2APIC mode the two MSRs that matter exit (vmx/msr_policy.c). In xAPIC mode the page is read-only to the guest,
 * and each write is a single step (vmx/step.c) to a page of ours, from which it is carried to the register it was for:
 * the guest's LVTPC never stands in the real one, and an NMI that the guest sends itself leaves when TraceEn is 0, so
 * that it is not one with a ToPA PMI. VISIBLE: in xAPIC mode the guest reads our LVTPC. VISIBLE: software-disabling the
 * local APIC does not last, as it masks LVTPC; its other entries are masked.
 *
 * Source: SDM "Advanced Programmable Interrupt Controller (APIC)": "Local Vector Table", "Local APIC State After It Has
 * Been Software Disabled", "x2APIC Register Address Space".
 */
#include "pt/msr.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/ept_maths.h"
#include "vmx/msr_policy.h"
#include "vmx/phys.h"
#include "vmx/vmcs.h"

#define APIC_BASE_X2APIC (1ull << 10)
#define APIC_BASE_ENABLE (1ull << 11)
#define APIC_BASE_ADDRESS 0x000ffffffffff000ull

#define APIC_SVR 0x0f0u
#define APIC_ICR_LOW 0x300u
#define APIC_LVT_PMI 0x340u

#define SVR_SOFTWARE_ENABLE (1u << 8)
#define LVT_VECTOR_MASK 0xffu
#define LVT_DELIVERY_MASK (7u << 8)
#define LVT_DELIVERY_FIXED (0u << 8)
#define LVT_DELIVERY_NMI (4u << 8)
#define LVT_MASKED (1u << 16)
#define LVT_PMI_WRITABLE (LVT_VECTOR_MASK | LVT_DELIVERY_MASK | LVT_MASKED)
#define ICR_TO_SELF (1u << 18)

#define INSTRUCTION_MAX_BYTES 15u

static volatile uint32_t *staged(struct cpu *cpu, uint32_t offset)
{
    return (volatile uint32_t *)(cpu->lapic_stage + offset);
}

static volatile uint32_t *lapic_register(const struct cpu *cpu, uint32_t offset)
{
    return (volatile uint32_t *)phys_to_virt(cpu->lapic_pa + offset);
}

bool lapic_is_x2apic(void)
{
    return msr_read(IA32_APIC_BASE) & APIC_BASE_X2APIC;
}

static void lvtpc_take(const struct cpu *cpu)
{
    if (cpu->lapic_pa)
        *lapic_register(cpu, APIC_LVT_PMI) = LVT_DELIVERY_NMI;
    else if (lapic_is_x2apic())
        msr_write(IA32_X2APIC_LVT_PMI, LVT_DELIVERY_NMI);
}

/* Masked, ours may stay: then a PMI has been delivered, and its NMI waits to be judged (pt_pmi_serve unmasks LVTPC). */
static bool lvtpc_is_ours(const struct cpu *cpu)
{
    uint32_t is = LVT_DELIVERY_NMI;

    if (cpu->lapic_pa)
        is = *lapic_register(cpu, APIC_LVT_PMI);
    else if (lapic_is_x2apic())
        is = (uint32_t)msr_read(IA32_X2APIC_LVT_PMI);
    return (is & LVT_PMI_WRITABLE & ~LVT_MASKED) == LVT_DELIVERY_NMI;
}

static void keep_software_enabled(const struct cpu *cpu)
{
    if (cpu->lapic_pa) {
        const uint32_t svr = *lapic_register(cpu, APIC_SVR);
        if (!(svr & SVR_SOFTWARE_ENABLE))
            *lapic_register(cpu, APIC_SVR) = svr | SVR_SOFTWARE_ENABLE;
    } else if (lapic_is_x2apic()) {
        msr_write(IA32_X2APIC_SIVR, msr_read(IA32_X2APIC_SIVR) | SVR_SOFTWARE_ENABLE);
    }
}

/* The mode or the address may have changed. */
void lapic_guard_follow(struct cpu *cpu)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);
    const bool xapic = (base & APIC_BASE_ENABLE) && !(base & APIC_BASE_X2APIC);
    const uint64_t page = xapic ? base & APIC_BASE_ADDRESS : 0;

    if (cpu->lapic_pa != page) {
        if (cpu->lapic_pa)
            ept_set_access(cpu->lapic_pa, EPT_READ | EPT_WRITE);
        if (page)
            ept_set_access(page, EPT_READ);
        cpu->lapic_pa = page;
        ept_invalidate();
    }
    if (base & APIC_BASE_ENABLE) {
        keep_software_enabled(cpu);
        if (!lvtpc_is_ours(cpu))
            lvtpc_take(cpu);
    }
}

void lapic_guard_start(struct cpu *cpu)
{
    if (!vmx_machine.watch_lvtpc)
        return;
    cpu->pmis_told = msr_read(IA32_PERF_GLOBAL_STATUS); /* overflows of before are nobody's */
    cpu->lvtpc_guest = LVT_MASKED;                      /* as after reset, and as firmware leaves it */
    lapic_guard_follow(cpu);
    lvtpc_take(cpu); /* whatever firmware left there */
}

bool lapic_lvtpc_write(struct cpu *cpu, uint64_t value)
{
    if (value & ~(uint64_t)LVT_PMI_WRITABLE)
        return false;
    cpu->lvtpc_guest = (uint32_t)value;
    return true;
}

/* The instruction writes to a page of ours that shows the register as it is; lapic_step_done carries it over. */
void lapic_step_open(struct cpu *cpu, uint64_t gpa)
{
    const uint32_t offset = gpa & 0xff0;

    *staged(cpu, offset) = offset == APIC_LVT_PMI ? cpu->lvtpc_guest : *lapic_register(cpu, offset);
    cpu->lapic_step_rip = vmreadn(VMCS_GUEST_RIP);
    ept_redirect(cpu->lapic_pa, virt_to_phys(cpu->lapic_stage));
    step_open_page(cpu, gpa, STEP_LAPIC, EPT_READ | EPT_WRITE);
}

/* Software-disabling masks all entries. LVTPC's mask comes back as it was: it may tell of a PMI. */
static void svr_write(const struct cpu *cpu, uint32_t value)
{
    const uint32_t lvtpc = *lapic_register(cpu, APIC_LVT_PMI);

    *lapic_register(cpu, APIC_SVR) = value;
    if (value & SVR_SOFTWARE_ENABLE)
        return;
    *lapic_register(cpu, APIC_SVR) = value | SVR_SOFTWARE_ENABLE;
    *lapic_register(cpu, APIC_LVT_PMI) = lvtpc;
}

void lapic_step_done(struct cpu *cpu, uint64_t gpa)
{
    const uint32_t offset = gpa & 0xff0, value = *staged(cpu, offset);

    ept_redirect(cpu->lapic_pa, cpu->lapic_pa);
    /* An event was delivered instead of the instruction: it will be back. A REP instruction stays where it is. */
    if (vmreadn(VMCS_GUEST_RIP) - cpu->lapic_step_rip > INSTRUCTION_MAX_BYTES)
        return;
    if (offset == APIC_LVT_PMI) {
        cpu->lvtpc_guest = value & LVT_PMI_WRITABLE;
        return;
    }
    if (offset == APIC_SVR)
        svr_write(cpu, value);
    else
        *lapic_register(cpu, offset) = value;
}

/* A counter of the guest's has overflowed. Delivery masks the entry; where it is masked, nothing is delivered. */
void lapic_guest_pmi(struct cpu *cpu)
{
    const uint32_t lvtpc = cpu->lvtpc_guest;

    if (lvtpc & LVT_MASKED)
        return;
    cpu->lvtpc_guest |= LVT_MASKED;
    if ((lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI) {
        nmi_owe(cpu);
    } else if ((lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_FIXED) {
        const uint32_t icr = ICR_TO_SELF | (lvtpc & LVT_VECTOR_MASK);
        if (cpu->lapic_pa)
            *lapic_register(cpu, APIC_ICR_LOW) = icr;
        else
            msr_write(IA32_X2APIC_ICR, icr);
    }
}
