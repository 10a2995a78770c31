/* Kind: shell, init */
#include "boot/vtd/remapping.h"

#include "base/log.h"
#include "boot/memory/mapped.h"
#include "vtd/watch.h"

#define UNIT_BYTES 4096u /* of registers; a unit may have more, which are not used here */

bool remapping_access(struct dmar_access *access, uint64_t unit_pa)
{
    watch_access(access, unit_pa);
    return mapped_at(unit_pa, UNIT_BYTES);
}

unsigned remapping_stop(const struct dmar *dmar, bool ours)
{
    unsigned nr_stopped = 0, nr_stuck = 0;

    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        if (!remapping_access(&access, dmar->units[i]))
            continue;
        const enum dmar_unit found = dmar_unit_stop(&access);
        if (found == DMAR_UNIT_STUCK)
            log_line("VT-d: cannot switch off the unit at %lx; if nothing arrives at the receiver, disable VT-d in the "
                     "firmware setup",
                     dmar->units[i]);
        nr_stopped += found == DMAR_UNIT_STOPPED;
        nr_stuck += found == DMAR_UNIT_STUCK;
    }
    if (nr_stopped && !ours)
        log_line("VT-d: switched off %u of %u units, which firmware had left on", nr_stopped, dmar->nr_units);
    if (dmar->nr_more && !ours)
        log_line("VT-d: ACPI lists %u units, of which the first %u were checked; if nothing arrives at the receiver, "
                 "disable VT-d in the firmware setup",
                 dmar->nr_units + dmar->nr_more, dmar->nr_units);
    return nr_stuck;
}

bool remapping_hide(const struct dmar *dmar, bool card, bool active)
{
    if (!dmar->pa || (!card && !active))
        return false;
    dmar_hide(phys_to_virt(dmar->pa));
    log_line("VT-d: hidden from the guest, which would %s", active ? "replace our tables" : "block our card's DMA");
    return true;
}
