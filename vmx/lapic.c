/* Kind: shell */
/*
 * LVTPC, the local APIC's entry for performance-monitoring interrupts, belongs to PT while PT is on: NMI, unmasked. The
 * guest keeps a value of its own here. Of several CPUs the guest's IPIs are watched as well (vmx/summons.h), with soft
 * PT they alone. VISIBLE: by the time that takes.
 *
 * In x2APIC mode the MSRs that matter exit (vmx/msr_policy.c). In xAPIC mode the page is read-only to the guest,
 * and each write is a single step (vmx/step.c) to a page of ours, from which it is carried to the register it was for:
 * the guest's LVTPC never stands in the real one, and an NMI that the guest sends itself leaves when TraceEn is 0, so
 * that it is not one with a ToPA PMI. VISIBLE: in xAPIC mode the guest reads our LVTPC. VISIBLE: software-disabling the
 * local APIC does not last, as it masks LVTPC; its other entries are masked.
 *
 * Source: SDM "Advanced Programmable Interrupt Controller (APIC)": "Local Vector Table", "Local APIC State After It Has
 * Been Software Disabled", "x2APIC Register Address Space".
 */
#include "base/msr.h"
#include "base/phys.h"
#include "vmx/cpu.h"
#include "vmx/ept_maths.h"
#include "vmx/lapic_registers.h"
#include "vmx/msr_policy.h"
#include "vmx/vmcs.h"

#define SVR_SOFTWARE_ENABLE (1u << 8)
#define LVT_DELIVERY_FIXED (0u << 8)
#define ICR_NOT_ROOTS (~0ull)

#define INSTRUCTION_MAX_BYTES 15u

static volatile uint32_t *staged(struct cpu *cpu, uint32_t offset)
{
    return (volatile uint32_t *)(cpu->lapic_stage + offset);
}

static volatile uint32_t *lapic_register(const struct cpu *cpu, uint32_t offset)
{
    return xapic_register(cpu->lapic_pa, offset);
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

static uint64_t rights_of_guard(const struct cpu *cpu)
{
    if (cpu->lapic_absent)
        return 0;
    return EPT_READ;
}

/* In this CPU's view of the EPT alone. page 0: none is guarded. */
static void guard_move(struct cpu *cpu, uint64_t page)
{
    machine_lock(cpu);
    ept_view_drop(&cpu->view);
    cpu->lapic_pa = page;
    if (page) {
        cpu->lapic_entry = ept_view_open(&cpu->view, page);
        *cpu->lapic_entry = (*cpu->lapic_entry & ~EPT_ACCESS_MASK) | rights_of_guard(cpu);
        ept_view_keep(&cpu->view);
    }
    machine_unlock(cpu);
    ept_invalidate(&cpu->view);
}

/* The mode or the address may have changed. */
void lapic_guard_follow(struct cpu *cpu)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);
    const bool xapic = (base & APIC_BASE_ENABLED) && !(base & APIC_BASE_X2APIC);
    const uint64_t page = xapic ? base & APIC_BASE_ADDRESS : 0;

    if (cpu->lapic_pa != page)
        guard_move(cpu, page);
    if (machine.config.watch_lvtpc && (base & APIC_BASE_ENABLED)) {
        keep_software_enabled(cpu);
        lvtpc_guard();
    }
}

void lapic_guard_start(struct cpu *cpu)
{
    const bool watch_lvtpc = machine.config.watch_lvtpc;

    if (watch_lvtpc) {
        cpu->pmis_delivered = msr_read(IA32_PERF_GLOBAL_STATUS); /* overflows of before are nobody's */
        cpu->lvtpc_guest = LVT_MASKED;                           /* as after reset, and as firmware leaves it */
    }
    if (watch_lvtpc || machine.config.watch_ipis)
        lapic_guard_follow(cpu);
    if (watch_lvtpc)
        lvtpc_take(); /* whatever firmware left there */
}

bool lapic_lvtpc_write(struct cpu *cpu, uint64_t value)
{
    if (value & ~(uint64_t)LVT_PMI_WRITABLE)
        return false;
    cpu->lvtpc_guest = (uint32_t)value;
    return true;
}

/* Software-disabling masks all entries. LVTPC's mask comes back as it was: it may tell of a PMI. */
static void svr_write(const struct cpu *cpu, uint32_t value)
{
    const uint32_t lvtpc = lvtpc_read();

    *lapic_register(cpu, APIC_SVR) = value;
    if (value & SVR_SOFTWARE_ENABLE)
        return;
    *lapic_register(cpu, APIC_SVR) = value | SVR_SOFTWARE_ENABLE;
    lvtpc_write(lvtpc);
}

/* A command that is the same as root's last one is the guest's now. */
static void xapic_guest_ipi(struct cpu *cpu, uint32_t value)
{
    cpu->icr_written = ICR_NOT_ROOTS;
    lapic_guest_sends(cpu, (uint64_t)*lapic_register(cpu, APIC_ICR_HIGH) << 32 | value);
    *lapic_register(cpu, APIC_ICR_LOW) = value;
}

static void lapic_write_through(struct cpu *cpu, bool broken_off)
{
    const uint32_t offset = cpu->lapic_offset, value = *staged(cpu, offset);
    const uint64_t moved = vmreadn(VMCS_GUEST_RIP) - cpu->lapic_step_rip;

    *cpu->lapic_entry =
        (*cpu->lapic_entry & ~(EPT_ADDRESS_MASK | EPT_ACCESS_MASK)) | cpu->lapic_pa | rights_of_guard(cpu);
    /* An event was delivered instead of the instruction, or another exit came before it: it will be back. A REP
     * instruction that was stepped stays where it is. */
    if (!cpu->lapic_writes || moved > INSTRUCTION_MAX_BYTES || (broken_off && moved == 0))
        return;
    if (offset == APIC_ICR_LOW)
        xapic_guest_ipi(cpu, value);
    else if (machine.config.watch_lvtpc && offset == APIC_LVT_PMI)
        cpu->lvtpc_guest = value & LVT_PMI_WRITABLE;
    else if (machine.config.watch_lvtpc && offset == APIC_SVR)
        svr_write(cpu, value);
    else
        *lapic_register(cpu, offset) = value;
}

/* No register that anybody writes is at offset 0: a hypervisor below has emulated the access, and tells the page alone.
 * KVM does so where the page may be read; where it is not present the address comes whole. */
static bool offset_is_lost(const struct cpu *cpu, uint32_t offset, bool write)
{
    return write && offset == 0 && !cpu->lapic_absent;
}

/* The instruction writes to a page of ours that shows the register as it is; then it is carried over. */
void lapic_accessed(struct cpu *cpu, uint64_t gpa, bool write)
{
    const uint32_t offset = gpa & 0xff0;

    if (offset_is_lost(cpu, offset, write)) {
        cpu->lapic_absent = true;
        *cpu->lapic_entry &= ~EPT_ACCESS_MASK;
        ept_invalidate(&cpu->view);
        return;
    }
    *staged(cpu, offset) =
        machine.config.watch_lvtpc && offset == APIC_LVT_PMI ? cpu->lvtpc_guest : *lapic_register(cpu, offset);
    cpu->lapic_offset = offset;
    cpu->lapic_writes = write;
    cpu->lapic_step_rip = vmreadn(VMCS_GUEST_RIP);
    *cpu->lapic_entry = (*cpu->lapic_entry & ~EPT_ADDRESS_MASK) | virt_to_phys(cpu->lapic_stage) | EPT_READ;
    if (write)
        *cpu->lapic_entry |= EPT_WRITE;
    step_begin(cpu, lapic_write_through);
}

/* A counter of the guest's has overflowed. Delivery masks the entry; where it is masked, nothing is delivered. */
void lapic_guest_pmi(struct cpu *cpu)
{
    const uint32_t lvtpc = cpu->lvtpc_guest;

    if (lvtpc & LVT_MASKED)
        return;
    cpu->lvtpc_guest |= LVT_MASKED;
    if ((lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI) {
        guest_pend_nmi(cpu);
    } else if ((lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_FIXED) {
        const uint32_t icr = ICR_TO_SELF | (lvtpc & LVT_VECTOR_MASK);
        lapic_icr_write(cpu, icr);
    }
}
