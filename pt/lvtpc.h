/*
 * LVTPC, the LVT performance monitoring register of the calling CPU's local APIC. Only this file accesses it, in xAPIC
 * and x2APIC mode; pt/ and vmx/ call it. While PT is on, LVTPC is ours: delivery mode NMI, unmasked. Delivery masks it.
 *
 * Source: SDM Vol. 3A "Local Vector Table", "Handling Local Interrupts", "Local APIC Status and Location", "Extended
 * XAPIC (x2APIC)".
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
#define APIC_BASE_ADDRESS 0x000ffffffffff000ull
#define LVT_MASKED (1u << 16)
#define LVT_PMI_WRITABLE (LVT_VECTOR_MASK | LVT_DELIVERY_MASK | LVT_MASKED)

/* Its value, without the delivery status. If the local APIC is disabled (IA32_APIC_BASE[11] is 0) there is no LVTPC,
 * and nothing to repair: returns LVT_DELIVERY_NMI. */
uint32_t lvtpc_read(void);

/* value: bits of LVT_PMI_WRITABLE. */
void lvtpc_write(uint32_t value);

/* Make it ours. */
void lvtpc_take(void);

/* Is it ours? It may be masked: then it has delivered an NMI that pt_pmi_serve has not served yet. */
bool lvtpc_is_ours(void);

/* Repair it if it is not ours. false: it was not. */
bool lvtpc_guard(void);

/* Unmask it after a delivery. true: it was masked, so LVTPC delivered the NMI that has arrived. */
bool lvtpc_unmask(void);

#endif
