/* The machine's DMA remapping, taken out of our card's way. Shell. */
#ifndef BOOT_REMAPPING_H
#define BOOT_REMAPPING_H

#include "boot/state.h"

/* Switch remapping off that firmware has left on, before the card is used. Log lines say what was found. Returns how
 * many units stay on all the same. */
unsigned remapping_stop(const struct boot_state *boot);

/* The guest is to find no remapping: it knows nothing of the card that reads our memory. Where the card is not ours
 * nothing is hidden. */
void remapping_hide(const struct boot_state *boot);

#endif
