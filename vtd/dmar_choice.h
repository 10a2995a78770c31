/*
 * vtd=auto: whether to use DMA remapping, and which units to exclude.
 *
 * If remapping breaks a device, the guest loses that device in the middle of its boot. So it is used only where the
 * platform was made for it, and where the guest must not see VT-d anyway.
 */
#ifndef VTD_DMAR_CHOICE_H
#define VTD_DMAR_CHOICE_H

#include "vtd/dmar.h"

/* Why vtd=auto leaves remapping off; NULL: nothing speaks against it. card: the channel is a network card, so VT-d is
 * hidden from the guest. */
const char *dmar_auto_objection(const struct dmar *dmar, bool card);

/* May vtd=auto use table_bytes for tables on a machine whose RAM ends at ram_bytes? */
bool dmar_affordable(uint64_t table_bytes, uint64_t ram_bytes);

/* Exclude the units of segment 0 that serve only a display. Display drivers work around VT-d where it is on (Linux:
 * i915_vtd_active, for prefetch past the end of a framebuffer; its iommu/intel uses no large pages for the GPUs of
 * Skylake to Geminilake, and no remapping for Broadwell's). Here they cannot detect it. class_of: returns the 24-bit
 * class code of the function at bus << 8 | device << 3. */
void dmar_exclude_displays(struct dmar *dmar, uint32_t (*class_of)(uint32_t place));

/* The number of units that are not excluded. */
unsigned dmar_nr_managed(const struct dmar *dmar);

#endif
