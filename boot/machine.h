/* The machine as vmx/ needs to know it. */
#ifndef BOOT_MACHINE_H
#define BOOT_MACHINE_H

#include "boot/state.h"

/* Set up what all CPUs share in vmx/, and reserve our memory and the channel's registers in the guest's memory map. */
void machine_init(struct boot_state *boot);

#endif
