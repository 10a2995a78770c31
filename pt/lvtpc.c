/*
 * LVTPC: the local APIC's entry for performance-monitoring interrupts, in xAPIC and x2APIC mode. Shell.
 *
 * Source: SDM "ToPA PMI" (36.2.6.2); Vol. 3A "Local Vector Table", "Local APIC Status and Location", "Extended XAPIC
 * (x2APIC)".
 */
#include "pt/cpu.h"
#include "pt/msr.h"
#include "pt/rtit.h"
#include "vmx/phys.h"

#define LVT_DELIVERY_STATUS 0x1000u /* read-only: an interrupt is on its way */
#define APIC_BASE_PA_MASK 0xffffffffff000ull

bool lvtpc_guard(void)
{
    uint64_t apic_base = msr_read(IA32_APIC_BASE);
    if (!(apic_base & APIC_BASE_ENABLED))
        return true;
    if (apic_base & APIC_BASE_X2APIC) {
        if ((msr_read(IA32_X2APIC_LVT_PMI) & ~(uint64_t)LVT_DELIVERY_STATUS) == LVT_DELIVERY_NMI)
            return true;
        msr_write(IA32_X2APIC_LVT_PMI, LVT_DELIVERY_NMI);
        return false;
    }
    volatile uint32_t *lvt =
        (volatile uint32_t *)((uint8_t *)phys_to_virt(apic_base & APIC_BASE_PA_MASK) + XAPIC_LVT_PMI);
    if ((*lvt & ~LVT_DELIVERY_STATUS) == LVT_DELIVERY_NMI)
        return true;
    *lvt = LVT_DELIVERY_NMI;
    return false;
}
