/*
 * Firmware that hands the machine over in x2APIC mode. Without VT-d's interrupt remapping an OS cannot use that mode
 * for devices' interrupts, so where VT-d is hidden the guest gets its CPUs in xAPIC mode, as from a BIOS. Where they
 * have to stay in x2APIC mode, VT-d is not hidden: vtd/dmar_guest.h.
 *
 * Source: SDM "Local x2APIC State Transitions", "Local APIC State After It Has Been Software Disabled"; Vol. 4,
 * IA32_ARCH_CAPABILITIES, IA32_XAPIC_DISABLE_STATUS.
 */
#ifndef BOOT_X2APIC_H
#define BOOT_X2APIC_H

#include <stdbool.h>
#include <stdint.h>

#define XAPIC_MAX_ID 0xfeu /* that xAPIC mode can address: FFH is the broadcast */

/* Of one CPU. Outside x2APIC mode all are 0. */
struct x2apic_facts {
    bool on;     /* the local APIC is in x2APIC mode */
    bool locked; /* ... which it cannot leave: LEGACY_XAPIC_DISABLED, with SGX or TDX */
};

enum x2apic_hold { X2APIC_FREE, X2APIC_LOCKED, X2APIC_HIGH_ID, X2APIC_FIRMWARE };

/* Why the CPUs have to stay in x2APIC mode. X2APIC_FREE: they need not, or are not in it. X2APIC_FIRMWARE is the
 * caller's to find. facts: of the first CPU; apic_ids: of all nr. *high_id: with X2APIC_HIGH_ID, the first one that
 * xAPIC mode cannot address. */
enum x2apic_hold x2apic_hold_of(struct x2apic_facts facts, const uint32_t *apic_ids, uint32_t nr, uint32_t *high_id);

/* In which case the hypervisor cannot run; why the CPUs have to stay in x2APIC mode, and what the user can do then. For
 * X2APIC_FREE: NULL. */
#define X2APIC_REFUSED                                                                                                 \
    "the guest has to stay in x2APIC mode, in which it needs VT-d, but not all remapping units can be kept from "      \
    "blocking the network card"
const char *x2apic_hold_text(enum x2apic_hold hold);
const char *x2apic_hold_remedy(enum x2apic_hold hold);

struct x2apic_facts x2apic_read(void);

/* This CPU leaves x2APIC mode; nothing if it is not in it. Only local APIC registers that firmware programs for the OS
 * keep their values: no interrupt may be pending, and the timer stops. The boot fails if the mode is locked. */
void x2apic_leave(void);

#endif
