/*
 * LVTPC: the local APIC's entry for performance-monitoring interrupts, in xAPIC and x2APIC mode. Shell.
 *
 * Source: SDM "ToPA PMI" (36.2.6.2); Vol. 3A "Local Vector Table", "Local APIC Status and Location", "Extended XAPIC
 * (x2APIC)".
 */
#include "pt/engine_state.h"
#include "pt/msr.h"
#include "pt/rtit.h"
#include "vmx/phys.h"

#define LVT_DELIVERY_STATUS 0x1000u /* read-only: an interrupt is on its way */
#define APIC_BASE_PA_MASK 0xffffffffff000ull

/* If LVTPC is neither of two values, make it the first. */
static bool lvtpc_is(uint32_t value, uint32_t other)
{
    uint64_t apic_base = msr_read(IA32_APIC_BASE);
    if (!(apic_base & APIC_BASE_ENABLED))
        return true;
    bool x2apic = apic_base & APIC_BASE_X2APIC;
    volatile uint32_t *lvt =
        (volatile uint32_t *)((uint8_t *)phys_to_virt(apic_base & APIC_BASE_PA_MASK) + XAPIC_LVT_PMI);
    uint32_t is = (x2apic ? (uint32_t)msr_read(IA32_X2APIC_LVT_PMI) : *lvt) & ~LVT_DELIVERY_STATUS;
    if (is == value || is == other)
        return true;
    if (x2apic)
        msr_write(IA32_X2APIC_LVT_PMI, value);
    else
        *lvt = value;
    return false;
}

bool lvtpc_guard(void)
{
    return lvtpc_is(LVT_DELIVERY_NMI, LVT_DELIVERY_NMI | LVT_MASKED);
}

bool lvtpc_delivered(void)
{
    return !lvtpc_is(LVT_DELIVERY_NMI, LVT_DELIVERY_NMI);
}
