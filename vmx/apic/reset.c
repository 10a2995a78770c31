/* Kind: shell */
/*
 * The local APIC after INIT, as far as software can bring that state about: an INIT that causes a VM exit does not
 * reset the APIC. VISIBLE: interrupts that were accepted before stay in the IRR.
 *
 * Source: SDM "Local APIC State After It Receives an INIT Reset".
 */
#include <stddef.h>

#include "base/msr.h"
#include "vmx/apic/lapic.h"
#include "vmx/apic/registers.h"

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

    lapic_lvtpc_write(cpu, LVT_MASKED);
    if (!(base & APIC_BASE_ENABLED))
        return;
    for (size_t i = 0; i < sizeof after_init / sizeof after_init[0]; i++) {
        if (base & APIC_BASE_X2APIC)
            msr_write(IA32_X2APIC_BASE + after_init[i].offset / 16u, after_init[i].value);
        else
            *xapic_register(base, after_init[i].offset) = after_init[i].value;
    }
    for (unsigned i = 0; i < 256; i++) { /* an EOI for each bit that the ISR can have */
        if (base & APIC_BASE_X2APIC)
            msr_write(IA32_X2APIC_BASE + APIC_EOI / 16u, 0);
        else
            *xapic_register(base, APIC_EOI) = 0;
    }
}
