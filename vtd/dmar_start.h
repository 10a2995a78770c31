/* Switching a remapping unit on. Core; registers are accessed through functions. */
#ifndef VTD_DMAR_START_H
#define VTD_DMAR_START_H

#include "vtd/dmar.h"

/* The capability register; 0: no unit answers at this address. */
uint64_t dmar_unit_capabilities(const struct dmar_access *access);

/* Switch on a unit that is off (dmar_unit_stop), with the root table at root_pa, empty caches and no recorded fault.
 * Interrupts are not remapped, and fault interrupts are masked. Returns NULL, or the step that failed within 100 ms;
 * the caller must then stop the unit. */
const char *dmar_unit_start(const struct dmar_access *access, uint64_t root_pa);

#endif
