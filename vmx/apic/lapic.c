/* Kind: shell */
/*
 * The guard over the local APIC. While PT is on, LVTPC, the local vector table entry for performance-monitoring
 * interrupts, belongs to PT: NMI, unmasked. The guest's value is kept here. On a machine with several CPUs the guest's
 * IPIs are watched as well (vmx/smp/kick.h), with soft PT only they. VISIBLE: these accesses take longer.
 *
 * In x2APIC mode the MSRs concerned exit (vmx/policy/msr_policy.c). In xAPIC mode the page is read-only for the guest:
 * each write is a single step (vmx/ept/step.c) to a page of ours, and is then carried out on the register. So the
 * guest's value is never in the real LVTPC, and no NMI that the guest sends merges with a ToPA PMI
 * (vmx/apic/guest_ipi.h). VISIBLE: in xAPIC mode the guest reads our LVTPC. VISIBLE: the guest cannot
 * keep the local APIC software-disabled, since that masks LVTPC; the other entries are masked.
 *
 * Source: SDM "Advanced Programmable Interrupt Controller (APIC)": "Local Vector Table", "Local APIC State After It Has
 * Been Software Disabled", "x2APIC Register Address Space".
 */
#include "vmx/apic/lapic.h"

#include <string.h>

#include "base/msr.h"
#include "base/phys.h"
#include "vmx/apic/guest_ipi.h"
#include "vmx/apic/ipi.h"
#include "vmx/apic/registers.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/ept/ept.h"
#include "vmx/ept/maths.h"
#include "vmx/ept/step.h"
#include "vmx/ept/view.h"
#include "vmx/guest/memory.h"

#define SVR_SOFTWARE_ENABLE (1u << 8)
#define LVT_DELIVERY_FIXED (0u << 8)

/* Only its own CPU touches it. */
struct lapic_cpu {
    uint64_t page;   /* guest-physical address of the guarded page in xAPIC mode, 0: none */
    uint64_t *entry; /* its leaf in this CPU's EPT view */
    bool absent;     /* the leaf allows no reads either, so that reads are stepped as well */
    uint32_t lvtpc;  /* the guest's value of LVTPC */

    /* The access that is being stepped. */
    bool writes;       /* it is a write */
    uint32_t offset;   /* of the register, in struct cpu's lapic_stage too */
    uint64_t step_rip; /* of the instruction */
};
CPU_STATE(lapic)

static volatile uint32_t *staged(struct cpu *cpu, uint32_t offset)
{
    return (volatile uint32_t *)(cpu->lapic_stage + offset);
}

static volatile uint32_t *lapic_register(const struct cpu *cpu, uint32_t offset)
{
    return xapic_register(lapic_of(cpu)->page, offset);
}

static void keep_software_enabled(const struct cpu *cpu)
{
    if (lapic_of(cpu)->page) {
        const uint32_t svr = *lapic_register(cpu, APIC_SVR);
        if (!(svr & SVR_SOFTWARE_ENABLE))
            *lapic_register(cpu, APIC_SVR) = svr | SVR_SOFTWARE_ENABLE;
    } else if (lapic_is_x2apic()) {
        msr_write(IA32_X2APIC_SIVR, msr_read(IA32_X2APIC_SIVR) | SVR_SOFTWARE_ENABLE);
    }
}

static uint64_t guard_access(const struct cpu *cpu)
{
    if (lapic_of(cpu)->absent)
        return 0;
    return EPT_READ;
}

/* In this CPU's view of the EPT only. page 0: none is guarded. */
static void guard_move(struct cpu *cpu, uint64_t page)
{
    machine_lock(cpu);
    ept_view_drop(cpu);
    lapic_of(cpu)->page = page;
    if (page) {
        lapic_of(cpu)->entry = ept_open(cpu, page);
        *lapic_of(cpu)->entry = (*lapic_of(cpu)->entry & ~EPT_ACCESS_MASK) | guard_access(cpu);
        ept_view_keep(cpu);
    }
    machine_unlock(cpu);
    ept_invalidate(cpu);
}

static uint64_t xapic_page(uint64_t base)
{
    return (base & APIC_BASE_ENABLED) && !(base & APIC_BASE_X2APIC) ? base & APIC_BASE_ADDRESS : 0;
}

bool lapic_base_is_usable(uint64_t base)
{
    return xapic_page(base) == 0 || guest_page(xapic_page(base));
}

bool lapic_is_guarded(const struct cpu *cpu, uint64_t gpa)
{
    return lapic_of(cpu)->page && (gpa & EPT_PAGE_MASK) == lapic_of(cpu)->page;
}

void lapic_guard_follow(struct cpu *cpu)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);

    lapic_ipi_publish(cpu);
    if (!machine.config.watch_lvtpc && !machine.config.watch_ipis)
        return;
    if (lapic_of(cpu)->page != xapic_page(base))
        guard_move(cpu, xapic_page(base));
    if (machine.config.watch_lvtpc && (base & APIC_BASE_ENABLED)) {
        keep_software_enabled(cpu);
        lvtpc_guard();
    }
}

void lapic_guard_start(struct cpu *cpu)
{
    const bool watch_lvtpc = machine.config.watch_lvtpc;

    if (watch_lvtpc)
        lapic_of(cpu)->lvtpc = LVT_MASKED; /* as after reset, and as firmware leaves it */
    lapic_guard_follow(cpu);
    if (watch_lvtpc)
        lvtpc_take();
}

bool lapic_lvtpc_write(struct cpu *cpu, uint64_t value)
{
    if (value & ~(uint64_t)LVT_PMI_WRITABLE)
        return false;
    lapic_of(cpu)->lvtpc = (uint32_t)value;
    return true;
}

uint32_t lapic_lvtpc_read(const struct cpu *cpu)
{
    return lapic_of(cpu)->lvtpc;
}

/* Software-disabling masks all entries. Restore LVTPC as it was: a set mask may say that a PMI was delivered. */
static void svr_write(const struct cpu *cpu, uint32_t value)
{
    const uint32_t lvtpc = lvtpc_read();

    *lapic_register(cpu, APIC_SVR) = value;
    if (value & SVR_SOFTWARE_ENABLE)
        return;
    *lapic_register(cpu, APIC_SVR) = value | SVR_SOFTWARE_ENABLE;
    lvtpc_write(lvtpc);
}

static void xapic_guest_ipi(struct cpu *cpu, uint32_t value)
{
    lapic_ipi_disown(cpu);
    if (guest_ipi_sends(cpu, (uint64_t)*lapic_register(cpu, APIC_ICR_HIGH) << 32 | value))
        *lapic_register(cpu, APIC_ICR_LOW) = value;
}

/* The step is over: write the register. Not if an event was delivered instead of the instruction, or another exit came
 * first: then the access exits again. A REP instruction that was stepped stays at its address. */
static void lapic_write_through(struct cpu *cpu, bool interrupted)
{
    struct lapic_cpu *lapic = lapic_of(cpu);
    const uint32_t offset = lapic->offset, value = *staged(cpu, offset);
    const uint64_t moved = vmreadn(VMCS_GUEST_RIP) - lapic->step_rip;

    *lapic->entry = (*lapic->entry & ~(EPT_ADDRESS_MASK | EPT_ACCESS_MASK)) | lapic->page | guard_access(cpu);
    if (!lapic->writes || moved > INSTRUCTION_MAX_BYTES || (interrupted && moved == 0))
        return;
    if (offset == APIC_ICR_LOW)
        xapic_guest_ipi(cpu, value);
    else if (machine.config.watch_lvtpc && offset == APIC_LVT_PMI)
        lapic->lvtpc = value & LVT_PMI_WRITABLE;
    else if (machine.config.watch_lvtpc && offset == APIC_SVR)
        svr_write(cpu, value);
    else
        *lapic_register(cpu, offset) = value;
    if (offset == APIC_LDR || offset == APIC_DFR)
        lapic_ipi_publish(cpu);
}

/* No register at offset 0 is ever written: a hypervisor below us has emulated the access and reports only its page. KVM
 * does so where the page is readable; where it is not present, it reports the whole address. */
static bool offset_is_lost(const struct cpu *cpu, uint32_t offset, bool write)
{
    return write && offset == 0 && !lapic_of(cpu)->absent;
}

/* Step the instruction with a page of ours in place of the APIC's. It contains the register's value. */
void lapic_accessed(struct cpu *cpu, uint64_t gpa, bool write)
{
    struct lapic_cpu *lapic = lapic_of(cpu);
    const uint32_t offset = gpa & 0xff0;

    if (offset_is_lost(cpu, offset, write)) {
        lapic->absent = true;
        *lapic->entry &= ~EPT_ACCESS_MASK;
        ept_invalidate(cpu);
        return;
    }
    *staged(cpu, offset) =
        machine.config.watch_lvtpc && offset == APIC_LVT_PMI ? lapic->lvtpc : *lapic_register(cpu, offset);
    lapic->offset = offset;
    lapic->writes = write;
    lapic->step_rip = vmreadn(VMCS_GUEST_RIP);
    *lapic->entry = (*lapic->entry & ~EPT_ADDRESS_MASK) | virt_to_phys(cpu->lapic_stage) | EPT_READ;
    if (write)
        *lapic->entry |= EPT_WRITE;
    step_begin(cpu, lapic_write_through);
}

/* VISIBLE: the registers are not code; hardware leaves open what a fetch yields. */
__attribute__((cold)) void lapic_fetched(struct cpu *cpu)
{
    struct lapic_cpu *lapic = lapic_of(cpu);

    memset(cpu->hidden_stage, 0xff, sizeof cpu->hidden_stage);
    lapic->writes = false;
    lapic->step_rip = vmreadn(VMCS_GUEST_RIP);
    *lapic->entry = (*lapic->entry & ~(EPT_ADDRESS_MASK | EPT_ACCESS_MASK)) | virt_to_phys(cpu->hidden_stage) |
                    EPT_READ | EPT_EXECUTE;
    step_begin(cpu, lapic_write_through);
}

/* Delivery masks the entry; while it is masked, nothing is delivered. */
bool lapic_guest_pmi(struct cpu *cpu)
{
    const uint32_t lvtpc = lapic_of(cpu)->lvtpc;

    if (lvtpc & LVT_MASKED)
        return false;
    lapic_of(cpu)->lvtpc |= LVT_MASKED;
    if ((lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_FIXED)
        lapic_icr_write(cpu, ICR_TO_SELF | (lvtpc & LVT_VECTOR_MASK));
    return (lvtpc & LVT_DELIVERY_MASK) == LVT_DELIVERY_NMI;
}
