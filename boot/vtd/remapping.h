/* DMA remapping that firmware has left on, and hiding it from the guest. */
#ifndef BOOT_VTD_REMAPPING_H
#define BOOT_VTD_REMAPPING_H

#include "vtd/dmar.h"

/* Access to the registers of the unit at unit_pa. false: the boot's page tables do not map them. */
bool remapping_access(struct dmar_access *access, uint64_t unit_pa);

/* Switch off all units: before the card is used, those that firmware has left on (ours: false), later our own (ours:
 * true). Logs what was found. Returns the number of units that stay on. */
unsigned remapping_stop(const struct dmar *dmar, bool ours);

/* VISIBLE: rename ACPI's table DMAR. The guest must not program the units if our card does DMA to our memory (card) or
 * the units use our tables (active); otherwise nothing is hidden. true: it is hidden. */
bool remapping_hide(const struct dmar *dmar, bool card, bool active);

#endif
