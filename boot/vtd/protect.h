/*
 * vtd=on, vtd=auto: by DMA remapping (VT-d) the guest's devices reach all memory but ours, and our card ours alone.
 * Shell.
 *
 * auto: where vtd/dmar_choice.h says so. All of the machine's units (of those that are not spared) or none; where one
 * of them does not do as it should, or the card does not get through, they are switched off again, a log line says why,
 * and the boot goes on without.
 */
#ifndef BOOT_VTD_PROTECT_H
#define BOOT_VTD_PROTECT_H

#include "boot/state.h"

/* Bytes for the tables, where others take so many; 0: none will be built. Before protect_memory. */
uint64_t protect_bytes(struct boot_state *boot, uint64_t others);

/* The channel has been opened: its card and what is on its way stay as they are. */
void protect_memory(struct boot_state *boot);

/* The self-test: where a boot would leave VT-d off by vtd=auto, try it all the same, last of all. boot->vtd is what has
 * been found. */
void protect_try(struct boot_state *boot);

#endif
