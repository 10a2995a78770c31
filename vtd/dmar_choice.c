/* Kind: core, init */
#include "vtd/dmar_choice.h"

#include <stddef.h>

#define CLASS_DISPLAY 0x03u /* the class code's upper byte: PCI Local Bus Specification 3.0, appendix D */
#define TABLE_BYTES_MAX (64ull << 20)
#define RAM_FRACTION 256u

const char *dmar_auto_objection(const struct dmar *dmar, bool card)
{
    if (dmar->nr_units == 0)
        return "ACPI lists no remapping unit";
    if (!card)
        return "it is left to the guest, because the channel is not a network card (vtd=on uses it)";
    if (!dmar->firmware_opts_in)
        return "the firmware does not request it (vtd=on switches it on, selftest=on tries it)";
    return NULL;
}

bool dmar_affordable(uint64_t table_bytes, uint64_t ram_bytes)
{
    return table_bytes <= TABLE_BYTES_MAX && table_bytes <= ram_bytes / RAM_FRACTION;
}

void dmar_exclude_displays(struct dmar *dmar, uint32_t (*class_of)(uint32_t place))
{
    for (unsigned i = 0; i < dmar->nr_units; i++)
        dmar->excluded[i] =
            dmar->segments[i] == 0 && dmar->slots[i] != DMAR_NO_SLOT && class_of(dmar->slots[i]) >> 16 == CLASS_DISPLAY;
}

unsigned dmar_nr_managed(const struct dmar *dmar)
{
    unsigned nr = 0;

    for (unsigned i = 0; i < dmar->nr_units; i++)
        nr += !dmar->excluded[i];
    return nr;
}
