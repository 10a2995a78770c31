/* Kind: core */
#include "vmx/apic/icr.h"

#define SHORTHAND_NONE 0u
#define SHORTHAND_ALL 2u
#define SHORTHAND_OTHERS 3u

static uint32_t shorthand_of(uint64_t icr)
{
    return icr >> 18 & 3;
}

static uint32_t destination_of(uint64_t icr, bool x2apic)
{
    return (uint32_t)(icr >> (x2apic ? 32 : 56));
}

static bool is_broadcast(uint64_t icr, bool x2apic)
{
    return destination_of(icr, x2apic) == (x2apic ? UINT32_MAX : XAPIC_BROADCAST);
}

/* SDM "Logical Destination Mode", flat and cluster model. */
static bool xapic_logical_includes(const struct icr_target *to, uint32_t destination)
{
    if (to->is_flat)
        return destination & to->logical_id;
    return destination >> 4 == to->logical_id >> 4 && (destination & to->logical_id & 15);
}

static bool destination_includes(uint64_t icr, bool x2apic, const struct icr_target *to)
{
    const uint32_t destination = destination_of(icr, x2apic);

    if (!(icr & ICR_LOGICAL))
        return destination == to->apic_id;
    if (to->mode != (x2apic ? LAPIC_X2APIC : LAPIC_XAPIC))
        return false;
    if (!x2apic)
        return xapic_logical_includes(to, destination);
    return destination >> 16 == to->apic_id >> 4 && (destination >> (to->apic_id & 15) & 1);
}

bool icr_addresses_other(uint64_t icr, bool x2apic, const struct icr_target *to)
{
    if (shorthand_of(icr) != SHORTHAND_NONE)
        return shorthand_of(icr) >= SHORTHAND_ALL;
    return is_broadcast(icr, x2apic) || destination_includes(icr, x2apic, to);
}

bool icr_addresses_self(uint64_t icr, bool x2apic, const struct icr_target *self)
{
    return shorthand_of(icr) == SHORTHAND_NONE && !is_broadcast(icr, x2apic) && destination_includes(icr, x2apic, self);
}

/* From x2APIC mode to x2APIC mode the destination is the logical ID, which is derived from the physical one (SDM
 * "Logical Destination Mode in x2APIC Mode"). Guests send INITs to physical IDs, so that root's INITs are never taken
 * for the guest's. A target in xAPIC mode has no such logical ID. To its physical ID root's INIT may equal the guest's;
 * while IPIs are watched that does not matter, and otherwise only until the OS has changed the target's mode as well.
 */
uint64_t icr_to(const struct icr_target *to, bool x2apic, uint32_t command)
{
    const uint32_t id = to->apic_id;

    if (!x2apic)
        return (uint64_t)id << 56 | command;
    if (to->mode != LAPIC_X2APIC)
        return (uint64_t)id << 32 | command;
    return (uint64_t)(id >> 4 << 16 | 1u << (id & 15)) << 32 | ICR_LOGICAL | command;
}

bool icr_reaches(enum lapic_mode from, const struct icr_target *to)
{
    return from != LAPIC_DISABLED && to->mode != LAPIC_DISABLED &&
           (from == LAPIC_X2APIC || to->apic_id < XAPIC_BROADCAST);
}

/* SDM Table "Valid Combinations for the Pentium 4 and Intel Xeon Processors' Local xAPIC Interrupt Command Register".
 */
bool icr_is_nmi(uint64_t icr, bool x2apic)
{
    if ((icr & ICR_MODE_MASK) != ICR_MODE_NMI || (icr & ICR_LEVEL_TRIGGERED))
        return false;
    if (shorthand_of(icr) == SHORTHAND_NONE)
        return !is_broadcast(icr, x2apic);
    return shorthand_of(icr) == SHORTHAND_OTHERS;
}
