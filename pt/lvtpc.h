/*
 * LVTPC, the local APIC's entry for performance-monitoring interrupts, of the CPU that calls: the one place that reads
 * and writes it, in xAPIC and x2APIC mode. While PT is on it is ours: NMI, unmasked. Delivery masks it.
 *
 * Shell; pt/ and vmx/ use it. Source: SDM Vol. 3A "Local Vector Table", "Handling Local Interrupts", "Local APIC Status
 * and Location", "Extended XAPIC (x2APIC)".
 */
#ifndef PT_LVTPC_H
#define PT_LVTPC_H

#include <stdbool.h>
#include <stdint.h>

#define LVT_VECTOR_MASK 0xffu
#define LVT_DELIVERY_MASK (7u << 8)
#define LVT_DELIVERY_FIXED (0u << 8)
#define LVT_DELIVERY_NMI (4u << 8)
#define APIC_BASE_X2APIC (1ull << 10)
#define APIC_BASE_ENABLED (1ull << 11)
#define LVT_MASKED (1u << 16)
#define LVT_PMI_WRITABLE (LVT_VECTOR_MASK | LVT_DELIVERY_MASK | LVT_MASKED)

/* As it stands, without the delivery status. Where the local APIC is off (IA32_APIC_BASE[11]) there is none, and
 * nothing to repair: LVT_DELIVERY_NMI. */
uint32_t lvtpc_read(void);

/* value: of LVT_PMI_WRITABLE. */
void lvtpc_write(uint32_t value);

/* Make it ours. */
void lvtpc_take(void);

/* Is it ours? Masked, too: then it has delivered an NMI, which pt_pmi_serve has not yet judged. */
bool lvtpc_is_ours(void);

/* Repair it where it is not ours. false: it was not. */
bool lvtpc_guard(void);

/* Unmask it behind a delivery. true: it was masked, so an NMI that has arrived is LVTPC's. */
bool lvtpc_unmask(void);

#endif
