/*
 * vtd=auto: whether remapping is switched on that nobody has asked for, and which units are left alone then. Core.
 *
 * What a device can miss by it, the guest misses in the middle of its boot. So it is done where the machine was made
 * for it, and where it is hidden from the guest anyway.
 */
#ifndef VTD_DMAR_CHOICE_H
#define VTD_DMAR_CHOICE_H

#include "vtd/dmar.h"

/* NULL: switch it on; else why not. card: the trace leaves by a network card, so that the guest is to find no VT-d. */
const char *dmar_choose(const struct dmar *dmar, bool card);

/* May tables take so many bytes of a machine whose RAM ends at ram_bytes, where nobody has asked for them? */
bool dmar_affordable(uint64_t table_bytes, uint64_t ram_bytes);

/* Spare the units of segment 0 behind which are displays alone: their drivers know what to do where VT-d is on (Linux:
 * i915_vtd_active, for memory behind what is shown; its iommu/intel has no large pages for those of Skylake to
 * Geminilake, and no remapping for Broadwell's), and here they cannot know. class_of: the class code of the function
 * at bus << 8 | device << 3, of 24 bits. */
void dmar_spare_displays(struct dmar *dmar, uint32_t (*class_of)(uint32_t place));

/* Units that are not spared. */
unsigned dmar_nr_ours(const struct dmar *dmar);

#endif
