/* Kind: core, init */
#include "vtd/dmar_start.h"

#include <stddef.h>

#include "vtd/dmar_fault.h"
#include "vtd/dmar_registers.h"

uint64_t dmar_unit_capabilities(const struct dmar_access *access)
{
    const uint64_t capabilities = dmar_get64(access, DMAR_CAP);

    return capabilities == ~0ull ? 0 : capabilities;
}

static void set64(const struct dmar_access *access, uint32_t offset, uint64_t value)
{
    dmar_set(access, offset, (uint32_t)value);
    dmar_set(access, offset + 4, (uint32_t)(value >> 32));
}

/* Issue a one-shot command and leave the persistent bits as they are. */
static void command(const struct dmar_access *access, uint32_t bit)
{
    dmar_set(access, DMAR_GCMD, (dmar_get(access, DMAR_GSTS) & DMAR_PERSISTENT) | bit);
}

/* 11.4.4: on chipsets with CAP.RWBF, software must flush the root complex's write buffers. */
static bool flush_write_buffer(const struct dmar_access *access, uint64_t capabilities)
{
    if (!(capabilities & DMAR_CAP_NEEDS_FLUSH))
        return true;
    command(access, DMAR_WRITE_BUFFER);
    return dmar_wait(access, DMAR_GSTS, DMAR_WRITE_BUFFER, 0);
}

static bool set_root(const struct dmar_access *access, uint64_t root_pa)
{
    set64(access, DMAR_RTADDR, root_pa); /* bits 11:10 are 0: legacy mode */
    command(access, DMAR_ROOT_TABLE);
    return dmar_wait(access, DMAR_GSTS, DMAR_ROOT_TABLE, DMAR_ROOT_TABLE);
}

/* 6.5.1: the context cache first, then the IOTLB. */
static bool invalidate(const struct dmar_access *access, uint64_t capabilities)
{
    const uint32_t iotlb = DMAR_ECAP_IOTLB_AT((uint32_t)dmar_get64(access, DMAR_ECAP));
    const uint32_t drain = (capabilities & DMAR_CAP_DRAIN_READS ? DMAR_IOTLB_DRAIN_READS : 0) |
                           (capabilities & DMAR_CAP_DRAIN_WRITES ? DMAR_IOTLB_DRAIN_WRITES : 0);

    set64(access, DMAR_CCMD, (uint64_t)(DMAR_CCMD_INVALIDATE | DMAR_CCMD_ALL) << 32);
    if (!dmar_wait(access, DMAR_CCMD + 4, DMAR_CCMD_INVALIDATE, 0))
        return false;
    set64(access, iotlb, (uint64_t)(DMAR_IOTLB_INVALIDATE | DMAR_IOTLB_ALL | drain) << 32);
    return dmar_wait(access, iotlb + 4, DMAR_IOTLB_INVALIDATE, 0);
}

const char *dmar_unit_start(const struct dmar_access *access, uint64_t root_pa)
{
    const uint64_t capabilities = dmar_get64(access, DMAR_CAP);

    if (!dmar_switch(access, DMAR_QUEUED_INVALIDATION, false)) /* the registers below work only without it */
        return "does not switch off queued invalidation";
    if (!flush_write_buffer(access, capabilities))
        return "does not flush its write buffer";
    if (!set_root(access, root_pa))
        return "does not accept a root table";
    if (!invalidate(access, capabilities))
        return "does not invalidate its caches";
    dmar_set(access, DMAR_FECTL, DMAR_FECTL_MASK);
    dmar_clear_faults(access, capabilities);
    return dmar_switch(access, DMAR_TRANSLATION, true) ? NULL : "does not switch on";
}
