/*
 * Remapping units while the guest runs. Blocked accesses to our memory are logged. If a unit blocks an access that a
 * device needs, all units are switched off: the guest takes precedence over the protection.
 */
#ifndef VTD_WATCH_H
#define VTD_WATCH_H

#include "vtd/dmar_fault.h"

/* Access to the registers of a unit at unit_pa, which the direct map must cover. */
void watch_access(struct dmar_access *access, uint64_t unit_pa);

/* Log a fault. */
void watch_log_fault(const struct dmar_fault *fault);

struct watch_units {
    const struct dmar *dmar; /* its units that are not excluded; must stay valid */
    void (*access)(struct dmar_access *access, uint64_t unit_pa);
    struct range ours; /* this and the next: see dmar_fault_is_expected */
    uint64_t machine_end;
};

/* Start polling. */
void watch_begin(const struct watch_units *units);

/* Any CPU calls this at VM exits, in root mode. Four times a second, one of the calls reads the units' faults. */
void watch_poll(void);

#endif
