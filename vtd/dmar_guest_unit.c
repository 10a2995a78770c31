/* Kind: shell */
#include "vtd/dmar_guest.h"
#include "vtd/dmar_registers.h"
#include "vtd/watch.h"

uint32_t dmar_guest_read(uint64_t unit_pa, uint32_t offset)
{
    struct dmar_access access;

    watch_access(&access, unit_pa);
    return dmar_guest_value(offset, dmar_get(&access, offset));
}

void dmar_guest_write(uint64_t unit_pa, uint32_t offset, uint32_t value)
{
    struct dmar_access access;

    watch_access(&access, unit_pa);
    if (dmar_guest_allows(offset, &value))
        dmar_set(&access, offset, value);
}
