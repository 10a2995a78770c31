/* Kind: shell, init */
#include "boot/vtd/remapping.h"

#include "base/log.h"
#include "base/phys.h"
#include "boot/check.h"
#include "vtd/watch.h"

#define UNIT_BYTES 4096u /* some have more, which nothing here needs */

bool remapping_access(struct dmar_access *access, uint64_t unit_pa)
{
    watch_access(access, unit_pa);
    return check_acpi_memory.map(NULL, unit_pa, UNIT_BYTES);
}

unsigned remapping_stop(const struct boot_state *boot, bool ours)
{
    const struct dmar *dmar = &boot->acpi.dmar;
    unsigned nr_stopped = 0, nr_stuck = 0;

    for (unsigned i = 0; i < dmar->nr_units; i++) {
        struct dmar_access access;
        if (!remapping_access(&access, dmar->units[i]))
            continue;
        const enum dmar_unit found = dmar_unit_stop(&access);
        if (found == DMAR_UNIT_STUCK)
            log_line(
                "VT-d: the unit at %lx does not switch off; if the wire stays dead, switch VT-d off in the firmware",
                dmar->units[i]);
        nr_stopped += found == DMAR_UNIT_STOPPED;
        nr_stuck += found == DMAR_UNIT_STUCK;
    }
    if (nr_stopped && !ours)
        log_line("VT-d: firmware had left %u of %u units on; they are off now", nr_stopped, dmar->nr_units);
    if (dmar->nr_more && !ours)
        log_line(
            "VT-d: ACPI names %u units, and there is room for %u: the others are left as they are; if the wire stays "
            "dead, switch VT-d off in the firmware",
            dmar->nr_units + dmar->nr_more, dmar->nr_units);
    return nr_stuck;
}

void remapping_hide(const struct boot_state *boot)
{
    if (!boot->acpi.dmar.pa || (boot->channel.kind != CHANNEL_NET && !boot->remaps))
        return;
    dmar_hide(phys_to_virt(boot->acpi.dmar.pa)); /* VISIBLE: no table DMAR */
    log_line("VT-d: hidden from the guest, which does not know of our %s", boot->remaps ? "tables" : "card");
}
