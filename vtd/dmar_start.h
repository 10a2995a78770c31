/*
 * A remapping unit: what it can, and switching it on. Core; registers are reached by functions.
 */
#ifndef VTD_DMAR_START_H
#define VTD_DMAR_START_H

#include "vtd/dmar.h"

/* Its capability register; 0: nothing answers there, or not as a unit does. */
uint64_t dmar_unit_capabilities(const struct dmar_access *access);

/* Let a unit that is off (dmar_unit_stop) translate by the tables at root_pa, with nothing of older ones in its caches
 * and no fault recorded. Interrupts are not remapped, and none are made of faults. NULL, or what it did not do within
 * 100 ms: it is to be stopped then. */
const char *dmar_unit_start(const struct dmar_access *access, uint64_t root_pa);

#endif
