/* Kind: core, init */
#include "vtd/dmar_choice.h"

#include <stddef.h>

#define CLASS_DISPLAY 0x03u /* its upper byte: PCI Local Bus Specification 3.0, appendix D */
#define MOST_BYTES (64ull << 20)
#define SHARE_OF_RAM 256u

const char *dmar_choose(const struct dmar *dmar, bool card)
{
    if (dmar->nr_units == 0)
        return "ACPI names no unit of it";
    if (!card)
        return "it is left to the guest, as the trace leaves by no network card (vtd=on takes it)";
    if (!dmar->firmware_asks)
        return "the firmware does not ask for it (vtd=on switches it on, selftest=on tries it)";
    return NULL;
}

bool dmar_affordable(uint64_t table_bytes, uint64_t ram_bytes)
{
    return table_bytes <= MOST_BYTES && table_bytes <= ram_bytes / SHARE_OF_RAM;
}

void dmar_spare_displays(struct dmar *dmar, uint32_t (*class_of)(uint32_t place))
{
    for (unsigned i = 0; i < dmar->nr_units; i++)
        dmar->spared[i] =
            dmar->segments[i] == 0 && dmar->slots[i] != DMAR_NO_SLOT && class_of(dmar->slots[i]) >> 16 == CLASS_DISPLAY;
}

unsigned dmar_nr_ours(const struct dmar *dmar)
{
    unsigned nr = 0;

    for (unsigned i = 0; i < dmar->nr_units; i++)
        nr += !dmar->spared[i];
    return nr;
}
