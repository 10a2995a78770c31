/*
 * A remapping unit as a guest sees it that needs the unit for its interrupts while our card does DMA: in x2APIC mode an
 * OS cannot do without interrupt remapping, but its tables for DMA have no mapping for our card. So the unit remaps
 * interrupts only. Its capabilities name no address width, with which no table can be made (Linux since 5.10: "No
 * supported address widths. Not attempting DMA translation"), and nothing that goes with DMA remapping; commands for it
 * have no effect. All else is the hardware's, so there is no state here, and CPUs may access a unit at the same time.
 *
 * Source: Intel VT-d, Architecture Specification 4.1, chapter 11 "Register Descriptions".
 */
#ifndef VTD_DMAR_GUEST_H
#define VTD_DMAR_GUEST_H

#include <stdbool.h>
#include <stdint.h>

/* Core. What the guest reads in the doubleword at offset, which has this value. */
uint32_t dmar_guest_value(uint32_t offset, uint32_t value);

/* Core. The guest writes *value to the doubleword at offset: change it to what is written. false: to nothing. */
bool dmar_guest_allows(uint32_t offset, uint32_t *value);

/* Shell. The same, carried out on the unit at unit_pa, which the direct map covers. offset: a multiple of 4 in its
 * first 4 KBytes. */
uint32_t dmar_guest_read(uint64_t unit_pa, uint32_t offset);
void dmar_guest_write(uint64_t unit_pa, uint32_t offset, uint32_t value);

#endif
