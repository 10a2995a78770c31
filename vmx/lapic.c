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
#include "pt/lvtpc.h"
#include "pt/msr.h"
#include "serial/io.h"
#include "vmx/cpu.h"
#include "vmx/ept_maths.h"
#include "vmx/msr_policy.h"
#include "vmx/phys.h"
#include "vmx/vmcs.h"

#define APIC_BASE_ADDRESS 0x000ffffffffff000ull

#define APIC_TPR 0x080u
#define APIC_EOI 0x0b0u
#define APIC_SVR 0x0f0u
#define APIC_ESR 0x280u
#define APIC_ICR_LOW 0x300u
#define APIC_ICR_HIGH 0x310u
#define APIC_LVT_TIMER 0x320u
#define APIC_LVT_THERMAL 0x330u
#define APIC_LVT_PMI 0x340u
#define APIC_LVT_LINT0 0x350u
#define APIC_LVT_LINT1 0x360u
#define APIC_LVT_ERROR 0x370u
#define APIC_TIMER_INITIAL_COUNT 0x380u
#define APIC_TIMER_DIVIDE 0x3e0u

#define SVR_SOFTWARE_ENABLE (1u << 8)
#define LVT_DELIVERY_FIXED (0u << 8)
#define ICR_MODE_MASK (7u << 8)
#define ICR_MODE_INIT (5u << 8)
#define ICR_DELIVERY_STATUS (1u << 12)
#define ICR_ASSERT (1u << 14)
#define ICR_TO_SELF (1u << 18)
#define ICR_NOT_ROOTS (~0ull)

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

/* In this CPU's view of the EPT alone. page 0: none is guarded. */
static void guard_move(struct cpu *cpu, uint64_t page)
{
    machine_lock(cpu);
    ept_view_drop(&cpu->view);
    cpu->lapic_pa = page;
    if (page) {
        cpu->lapic_entry = ept_view_open(&cpu->view, page);
        *cpu->lapic_entry = (*cpu->lapic_entry & ~EPT_ACCESS_MASK) | EPT_READ;
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
    if (base & APIC_BASE_ENABLED) {
        keep_software_enabled(cpu);
        lvtpc_guard();
    }
}

void lapic_guard_start(struct cpu *cpu)
{
    if (!machine.config.watch_lvtpc)
        return;
    cpu->pmis_delivered = msr_read(IA32_PERF_GLOBAL_STATUS); /* overflows of before are nobody's */
    cpu->lvtpc_guest = LVT_MASKED;                           /* as after reset, and as firmware leaves it */
    lapic_guard_follow(cpu);
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
    *lapic_register(cpu, APIC_ICR_LOW) = value;
}

static void lapic_write_through(struct cpu *cpu, bool broken_off)
{
    const uint32_t offset = cpu->lapic_offset, value = *staged(cpu, offset);
    const uint64_t moved = vmreadn(VMCS_GUEST_RIP) - cpu->lapic_step_rip;

    *cpu->lapic_entry = (*cpu->lapic_entry & ~(EPT_ADDRESS_MASK | EPT_ACCESS_MASK)) | cpu->lapic_pa | EPT_READ;
    /* An event was delivered instead of the instruction, or another exit came before it: it will be back. A REP
     * instruction that was stepped stays where it is. */
    if (moved > INSTRUCTION_MAX_BYTES || (broken_off && moved == 0))
        return;
    if (offset == APIC_LVT_PMI)
        cpu->lvtpc_guest = value & LVT_PMI_WRITABLE;
    else if (offset == APIC_SVR)
        svr_write(cpu, value);
    else if (offset == APIC_ICR_LOW)
        xapic_guest_ipi(cpu, value);
    else
        *lapic_register(cpu, offset) = value;
}

/* The instruction writes to a page of ours that shows the register as it is; then it is carried over. */
void lapic_written(struct cpu *cpu, uint64_t gpa)
{
    const uint32_t offset = gpa & 0xff0;

    *staged(cpu, offset) = offset == APIC_LVT_PMI ? cpu->lvtpc_guest : *lapic_register(cpu, offset);
    cpu->lapic_offset = offset;
    cpu->lapic_step_rip = vmreadn(VMCS_GUEST_RIP);
    *cpu->lapic_entry = (*cpu->lapic_entry & ~EPT_ADDRESS_MASK) | virt_to_phys(cpu->lapic_stage) | EPT_WRITE;
    step_begin(cpu, lapic_write_through);
}

/* --- IPIs of root's
 * --------------------------------------------------------------------------------------------------- "Interrupt
 * Command Register (ICR)". In xAPIC mode its halves are two registers, and root may come between the guest's two
 * writes; in x2APIC mode it is one. VISIBLE: the guest reads the command of root's last IPI in it.
 */

static volatile uint32_t *xapic_register(uint64_t base, uint32_t offset)
{
    return (volatile uint32_t *)phys_to_virt((base & APIC_BASE_ADDRESS) + offset);
}

/* 0 where the local APIC is off: then this CPU sends nothing. */
static uint64_t icr_read(void)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);

    if (!(base & APIC_BASE_ENABLED))
        return 0;
    if (base & APIC_BASE_X2APIC)
        return msr_read(IA32_X2APIC_ICR);
    return (uint64_t)*xapic_register(base, APIC_ICR_HIGH) << 32 |
           (*xapic_register(base, APIC_ICR_LOW) & ~ICR_DELIVERY_STATUS);
}

static void lapic_icr_write(struct cpu *cpu, uint64_t icr)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);

    if (!(base & APIC_BASE_ENABLED))
        return;
    cpu->icr_written = icr;
    cpu->icr_by_x2apic = base & APIC_BASE_X2APIC;
    if (base & APIC_BASE_X2APIC) {
        __asm__ volatile("mfence\n\tlfence" : : : "memory"); /* the write of this MSR is no serializing one */
        msr_write(IA32_X2APIC_ICR, icr);
        cpu->icr_written = icr_read();
        return;
    }
    while (*xapic_register(base, APIC_ICR_LOW) & ICR_DELIVERY_STATUS) /* the guest's is on its way */
        io_pause();
    *xapic_register(base, APIC_ICR_HIGH) = (uint32_t)(icr >> 32);
    *xapic_register(base, APIC_ICR_LOW) = (uint32_t)icr;
}

static uint64_t icr_to(uint32_t apic_id, uint32_t command)
{
    return (lapic_is_x2apic() ? (uint64_t)apic_id << 32 : (uint64_t)apic_id << 56) | command;
}

/* In xAPIC mode the low half is the command: the guest may have written the high one for its next. A change of mode
 * leaves nothing certain in the high half. */
static bool is_guests_init(const struct cpu *cpu, uint64_t icr)
{
    const uint64_t command = cpu->icr_by_x2apic && lapic_is_x2apic() ? ~0ull : UINT32_MAX;

    return (icr & ICR_MODE_MASK) == ICR_MODE_INIT && ((icr ^ cpu->icr_written) & command) != 0;
}

struct lapic_ipi lapic_ipi_begin(const struct cpu *cpu)
{
    const uint64_t icr = icr_read();

    return (struct lapic_ipi){.icr = icr, .guests_init = is_guests_init(cpu, icr)};
}

void lapic_send_init(struct cpu *cpu, uint32_t apic_id)
{
    lapic_icr_write(cpu, icr_to(apic_id, ICR_MODE_INIT | ICR_ASSERT));
}

/* INIT is asserted by an edge or a level, and a level is de-asserted later: all of them were an INIT. */
static void init_send_again(struct cpu *cpu, uint64_t icr)
{
    lapic_icr_write(cpu, icr | ICR_ASSERT);
}

void lapic_ipi_end(struct cpu *cpu, struct lapic_ipi ipi)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);

    if (icr_read() == ipi.icr)
        return;
    if (ipi.guests_init)
        init_send_again(cpu, ipi.icr);
    else if ((base & APIC_BASE_ENABLED) && !(base & APIC_BASE_X2APIC))
        *xapic_register(base, APIC_ICR_HIGH) = (uint32_t)(ipi.icr >> 32);
}

void lapic_init_again(struct cpu *cpu)
{
    const uint64_t icr = icr_read();

    if (is_guests_init(cpu, icr))
        init_send_again(cpu, icr);
}

/* --- what INIT does
 * ---------------------------------------------------------------------------------------------------
 */

/* "Local APIC State After It Receives an INIT Reset", as far as software can bring it about; an INIT that exits leaves
 * the local APIC alone. VISIBLE: interrupts that were accepted before stay in the IRR. */
void lapic_reset(struct cpu *cpu)
{
    static const struct {
        uint16_t offset;
        uint32_t value;
    } after_init[] = {{APIC_TPR, 0},
                      {APIC_LVT_TIMER, LVT_MASKED},
                      {APIC_LVT_THERMAL, LVT_MASKED},
                      {APIC_LVT_LINT0, LVT_MASKED},
                      {APIC_LVT_LINT1, LVT_MASKED},
                      {APIC_LVT_ERROR, LVT_MASKED},
                      {APIC_TIMER_INITIAL_COUNT, 0},
                      {APIC_TIMER_DIVIDE, 0},
                      {APIC_ESR, 0}};
    const uint64_t base = msr_read(IA32_APIC_BASE);

    cpu->lvtpc_guest = LVT_MASKED;
    if (!(base & APIC_BASE_ENABLED))
        return;
    for (size_t i = 0; i < sizeof after_init / sizeof after_init[0]; i++) {
        if (base & APIC_BASE_X2APIC)
            msr_write(IA32_X2APIC_BASE + after_init[i].offset / 16u, after_init[i].value);
        else
            *xapic_register(base, after_init[i].offset) = after_init[i].value;
    }
    for (unsigned i = 0; i < 256; i++) { /* the ISR: one bit for each vector */
        if (base & APIC_BASE_X2APIC)
            msr_write(IA32_X2APIC_BASE + APIC_EOI / 16u, 0);
        else
            *xapic_register(base, APIC_EOI) = 0;
    }
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
