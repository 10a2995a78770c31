/*
 * Commands of the local APIC's ICR: what they send, and to which CPUs. A command is 64 bits, in xAPIC mode those of
 * both registers. vmx/apic/icr.c, core. Private to vmx/apic/.
 *
 * Source: SDM "Interrupt Command Register (ICR)", "Determining IPI Destination", "x2APIC Register Address Space".
 */
#ifndef VMX_APIC_ICR_H
#define VMX_APIC_ICR_H

#include <stdbool.h>
#include <stdint.h>

#define ICR_VECTOR 0xffu
#define ICR_MODE_MASK (7u << 8)
#define ICR_MODE_NMI (4u << 8)
#define ICR_MODE_INIT (5u << 8)
#define ICR_MODE_SIPI (6u << 8)
#define ICR_LOGICAL (1u << 11)
#define ICR_DELIVERY_STATUS (1u << 12)
#define ICR_ASSERT (1u << 14)
#define ICR_LEVEL_TRIGGERED (1u << 15)

#define XAPIC_BROADCAST 0xffu

enum lapic_mode { LAPIC_DISABLED, LAPIC_XAPIC, LAPIC_X2APIC };

struct icr_target {
    enum lapic_mode mode;
    uint32_t apic_id;
    uint8_t logical_id; /* LDR, in xAPIC mode */
    bool is_flat;       /* ... by DFR, else in clusters */
};

/* Does a command address another CPU than the sender? x2apic: the sender's mode. The manual does not define logical
 * destinations between CPUs in different modes: they include none. */
bool icr_addresses_other(uint64_t icr, bool x2apic, const struct icr_target *to);

/* The same for the sender, as far as the manual defines it for NMIs: not by a shorthand, and not by a broadcast. */
bool icr_addresses_self(uint64_t icr, bool x2apic, const struct icr_target *self);

/* The command to one other CPU. x2apic: the sender's mode. Does it reach that CPU? icr_reaches: not if the local APIC
 * of either is disabled, nor if the sender's mode cannot address it. */
uint64_t icr_to(const struct icr_target *to, bool x2apic, uint32_t command);
bool icr_reaches(enum lapic_mode from, const struct icr_target *to);

/* Is it an NMI as the manual defines one: triggered by an edge, to a destination or to all but the sender? */
bool icr_is_nmi(uint64_t icr, bool x2apic);

#endif
