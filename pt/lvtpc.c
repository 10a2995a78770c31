/* Kind: shell, hot */
/* LVTPC: see pt/lvtpc.h. */
#include "pt/lvtpc.h"

#include "base/msr.h"
#include "base/phys.h"
#include "pt/rtit.h"

#define LVT_DELIVERY_STATUS 0x1000u /* read-only: send pending */
#define APIC_BASE_PA_MASK 0xffffffffff000ull

static volatile uint32_t *lvtpc_in_page(uint64_t apic_base)
{
    return (volatile uint32_t *)((uint8_t *)phys_to_virt(apic_base & APIC_BASE_PA_MASK) + XAPIC_LVT_PMI);
}

static uint32_t lvtpc_read_at(uint64_t apic_base)
{
    uint32_t value = LVT_DELIVERY_NMI;

    if (apic_base & APIC_BASE_ENABLED)
        value = apic_base & APIC_BASE_X2APIC ? (uint32_t)msr_read(IA32_X2APIC_LVT_PMI) : *lvtpc_in_page(apic_base);
    return value & ~LVT_DELIVERY_STATUS;
}

static void lvtpc_write_at(uint64_t apic_base, uint32_t value)
{
    if (!(apic_base & APIC_BASE_ENABLED))
        return;
    if (apic_base & APIC_BASE_X2APIC)
        msr_write(IA32_X2APIC_LVT_PMI, value);
    else
        *lvtpc_in_page(apic_base) = value;
}

uint32_t lvtpc_read(void)
{
    return lvtpc_read_at(msr_read(IA32_APIC_BASE));
}

void lvtpc_write(uint32_t value)
{
    lvtpc_write_at(msr_read(IA32_APIC_BASE), value);
}

void lvtpc_take(void)
{
    lvtpc_write(LVT_DELIVERY_NMI);
}

bool lvtpc_is_ours(void)
{
    return (lvtpc_read() & ~LVT_MASKED) == LVT_DELIVERY_NMI;
}

bool lvtpc_guard(void)
{
    if (lvtpc_is_ours())
        return true;
    lvtpc_take();
    return false;
}

bool lvtpc_unmask(void)
{
    const uint64_t apic_base = msr_read(IA32_APIC_BASE);

    if (lvtpc_read_at(apic_base) == LVT_DELIVERY_NMI)
        return false;
    lvtpc_write_at(apic_base, LVT_DELIVERY_NMI);
    return true;
}
