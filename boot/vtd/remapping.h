/* The machine's DMA remapping, taken out of our card's way. Shell. */
#ifndef BOOT_VTD_REMAPPING_H
#define BOOT_VTD_REMAPPING_H

#include "boot/state.h"
#include "vtd/dmar.h"

/* The registers of the unit at unit_pa. false: root does not reach them. */
bool remapping_access(struct dmar_access *access, uint64_t unit_pa);

/* Switch remapping off that firmware has left on, before the card is used, or that is ours. Log lines say what was
 * found. Returns how many units stay on all the same. */
unsigned remapping_stop(const struct boot_state *boot, bool ours);

/* The guest is to find no remapping: it knows nothing of the card that reads our memory, or of our tables. Where there
 * is neither nothing is hidden. */
void remapping_hide(const struct boot_state *boot);

#endif
