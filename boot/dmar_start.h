/*
 * A remapping unit: what it can, switching it on, and what it has refused. Core; registers are reached by functions.
 */
#ifndef BOOT_DMAR_START_H
#define BOOT_DMAR_START_H

#include "boot/dmar.h"

/* Its capability register; 0: nothing answers there, or not as a unit does. */
uint64_t dmar_unit_capabilities(const struct dmar_access *access);

/* Let a unit that is off (dmar_unit_stop) translate by the tables at root_pa, with nothing of older ones in its caches
 * and no fault recorded. Interrupts are not remapped, and none are made of faults. NULL, or what it did not do within
 * 100 ms: it is to be stopped then. */
const char *dmar_unit_start(const struct dmar_access *access, uint64_t root_pa);

struct dmar_fault {
    uint16_t requester; /* bus << 8 | device << 3 | function */
    bool is_read;
    uint8_t reason; /* section 7.1.3 of the specification */
    uint64_t page;  /* that was asked for */
};

/* Take a fault that a unit has recorded. false: there is none. */
bool dmar_unit_fault(const struct dmar_access *access, struct dmar_fault *fault);

#endif
