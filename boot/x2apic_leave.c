/* Kind: shell, init */
#include "boot/x2apic.h"

#include "base/msr.h"
#include "base/phys.h"
#include "boot/fail.h"
#include "pt/lvtpc.h"

#define APIC_VERSION 0x30u
#define MAX_LVT_SHIFT 16 /* the number of the last entry of the local vector table */

/* In the order in which they are written: while SVR disables the local APIC by software, all LVT entries are masked.
 * Then by the number that an LVT entry has in the version register. */
static const struct {
    uint16_t offset;
    uint8_t lvt;
} kept[] = {
    {0x0f0, 0}, /* SVR */
    {0x080, 0}, /* TPR */
    {0x3e0, 0}, /* the timer's divide configuration */
    {0x320, 0}, /* the timer */
    {0x350, 1}, /* LINT0: the 8259's interrupts */
    {0x360, 2}, /* LINT1: NMI */
    {0x370, 3}, /* errors */
    {0x340, 4}, /* performance monitoring */
    {0x330, 5}, /* thermal events: SMIs */
    {0x2f0, 6}, /* corrected machine checks */
};
#define NR_KEPT (sizeof kept / sizeof kept[0])

static uint64_t register_read(uint32_t offset)
{
    return msr_read(IA32_X2APIC_BASE + offset / 16);
}

static bool is_locked(void)
{
    if (cpuid_read(0, 0).eax < 7 || !(cpuid_read(7, 0).edx & CPUID_7_EDX_ARCH_CAPABILITIES))
        return false;
    return msr_read(IA32_ARCH_CAPABILITIES) & ARCH_CAPABILITIES_XAPIC_DISABLE &&
           msr_read(IA32_XAPIC_DISABLE_STATUS) & LEGACY_XAPIC_DISABLED;
}

struct x2apic_facts x2apic_read(void)
{
    const bool on = msr_read(IA32_APIC_BASE) & APIC_BASE_X2APIC;

    return (struct x2apic_facts){.on = on, .locked = on && is_locked()};
}

void x2apic_leave(void)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);
    uint32_t values[NR_KEPT];

    if (!(base & APIC_BASE_X2APIC))
        return;
    if (is_locked())
        boot_fail("APIC id %u: x2APIC mode is locked, but not on the first CPU", (uint32_t)register_read(0x20));
    const unsigned last_lvt = register_read(APIC_VERSION) >> MAX_LVT_SHIFT & 0xff;
    for (unsigned i = 0; i < NR_KEPT; i++)
        values[i] = kept[i].lvt <= last_lvt ? (uint32_t)register_read(kept[i].offset) : 0;
    msr_write(IA32_APIC_BASE, base & ~(uint64_t)(APIC_BASE_ENABLED | APIC_BASE_X2APIC));
    msr_write(IA32_APIC_BASE, base & ~(uint64_t)APIC_BASE_X2APIC);
    uint8_t *page = phys_to_virt(base & APIC_BASE_ADDRESS);
    for (unsigned i = 0; i < NR_KEPT; i++)
        if (kept[i].lvt <= last_lvt)
            *(volatile uint32_t *)(page + kept[i].offset) = values[i];
}
