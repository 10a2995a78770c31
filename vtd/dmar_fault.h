/*
 * What a remapping unit has refused, and whether it should have. Core; registers are reached by functions.
 *
 * Source: Intel VT-d, Architecture Specification 4.1, sections 7.1.3 (reasons), 7.2.1 (Primary Fault Logging), 11.4.7
 * (Fault Status, Fault Recording).
 */
#ifndef VTD_DMAR_FAULT_H
#define VTD_DMAR_FAULT_H

#include "base/range.h"
#include "vtd/dmar.h"

struct dmar_fault {
    uint16_t requester; /* bus << 8 | device << 3 | function */
    bool is_read;
    uint8_t reason; /* 7.1.3 */
    uint64_t page;  /* that was asked for */
};

/* Take the oldest fault that a unit has recorded. A unit that has no room for another one drops it. false: there is
 * none. */
bool dmar_unit_fault(const struct dmar_access *access, struct dmar_fault *fault);

/* Those that are recorded so far, by a unit with these capabilities, and that there were too many. */
void dmar_forget_faults(const struct dmar_access *access, uint64_t capabilities);

/* Is a fault of a device of the guest's as it should be: the device asked for something in ours, or where nothing can
 * be, at machine_end (a byte's address) or behind it; or translated by itself, which the tables allow nobody? false: it
 * is a failure of our tables, or of the unit, and the device misses what it would have without us. */
bool dmar_fault_is_right(const struct dmar_fault *fault, struct range ours, uint64_t machine_end);

#endif
