/*
 * Faults that a remapping unit has recorded, and whether they were to be expected. Core; registers are accessed through
 * functions.
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
    uint64_t page;  /* the address of the request, rounded down to 4 KiB */
};

/* Read and clear the oldest recorded fault. A unit whose records are all in use drops further faults. false: no fault
 * is recorded. */
bool dmar_unit_fault(const struct dmar_access *access, struct dmar_fault *fault);

/* Clear all recorded faults and the overflow bit. capabilities: the unit's capability register. */
void dmar_clear_faults(const struct dmar_access *access, uint64_t capabilities);

/* Should the unit have refused this request of a guest's device? Yes for an address in ours, for one at or above
 * machine_end (the end of the physical address space, in bytes), and for a translated request, which our tables allow
 * to no device. false: our tables or the unit are wrong, and the device cannot work as it would without us. */
bool dmar_fault_is_expected(const struct dmar_fault *fault, struct range ours, uint64_t machine_end);

#endif
