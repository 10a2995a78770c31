/* Steps of the boot that are the same in whatever way we were started, in the order in which they happen. */
#ifndef BOOT_STEPS_H
#define BOOT_STEPS_H

#include "boot/state.h"

/* Build our page tables, move the image and *boot into the carved range, and continue in next, on a stack of the first
 * CPU's there. *boot is changed before. */
_Noreturn void steps_move_image(struct boot_state **boot, void (*next)(void));

/* First in next: the rest of root mode's state on the first CPU. */
void steps_moved(const struct boot_state *boot);

/* Open the channel, hide VT-d where the guest cannot have it, and set up the first CPU's PT engine and what all CPUs
 * share in vmx/. */
void steps_prepare(struct boot_state *boot);

#endif
