/* Kind: core */
/* Commands to a remapping unit, needed both during the boot and while the guest runs. */
#include "vtd/dmar_registers.h"

#define WAIT_US 10u
#define WAITS 10000u

bool dmar_wait(const struct dmar_access *access, uint32_t offset, uint32_t bits, uint32_t should)
{
    for (uint32_t i = 0; i < WAITS; i++) {
        if ((dmar_get(access, offset) & bits) == should)
            return true;
        access->wait_us(access->context, WAIT_US);
    }
    return false;
}

bool dmar_switch(const struct dmar_access *access, uint32_t bit, bool on)
{
    const uint32_t status = dmar_get(access, DMAR_GSTS), should = on ? bit : 0;

    if ((status & bit) == should)
        return true;
    dmar_set(access, DMAR_GCMD, (status & DMAR_PERSISTENT & ~bit) | should);
    return dmar_wait(access, DMAR_GSTS, bit, should);
}
