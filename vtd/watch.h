/*
 * Units of VT-d that are on, looked at while the guest runs: what they refuse is told; where they refuse what a device
 * must have, they are switched off, as the guest comes before the protection. Shell.
 */
#ifndef VTD_WATCH_H
#define VTD_WATCH_H

#include "vtd/dmar_fault.h"

/* The registers of a unit that the direct map reaches. */
void watch_access(struct dmar_access *access, uint64_t unit_pa);

/* A line that says it. */
void watch_tell(const struct dmar_fault *fault);

struct watch_units {
    const struct dmar *dmar; /* those that are not spared; it stays */
    void (*access)(struct dmar_access *access, uint64_t unit_pa);
    struct range ours; /* as for dmar_fault_is_right */
    uint64_t machine_end;
};

/* From now on watch_look has something to look at. */
void watch_begin(const struct watch_units *units);

/* Called at VM exits, by any CPU in root: a few times a second one of them looks. */
void watch_look(void);

#endif
