/* Kind: core */
#include "vtd/dmar_guest.h"

#include "vtd/dmar_registers.h"

/* Commands, and their status bits. Without them: DMA remapping, its root table, advanced fault logs. */
#define GUEST_COMMANDS                                                                                                 \
    (DMAR_WRITE_BUFFER | DMAR_QUEUED_INVALIDATION | DMAR_INTERRUPT_REMAPPING | DMAR_INTERRUPT_TABLE |                  \
     DMAR_COMPATIBLE_FORMAT)

/* CAP: domains, whether write buffers need a flush, caching mode, address bits, where fault records are and how many,
 * posted interrupts, and whether setting the interrupt table invalidates. Without: advanced fault logs, protected
 * memory, SAGAW and page sizes, page-selective invalidation, draining, first-stage tables, commands. */
#define CAP_GUEST_LOW 0xff3f0097u
#define CAP_GUEST_HIGH 0x4800ff03u

/* ECAP: coherence, queued invalidation, interrupt remapping, its extended mode, where the IOTLB's registers are, and
 * the handle mask. Without: device TLBs, pass-through, snooping, page requests, PASIDs, scalable mode and all that is
 * newer. */
#define ECAP_GUEST_LOW 0x00f3ff1bu
#define ECAP_GUEST_HIGH 0u

uint32_t dmar_guest_value(uint32_t offset, uint32_t value)
{
    switch (offset) {
    case DMAR_CAP:
        return value & CAP_GUEST_LOW;
    case DMAR_CAP + 4:
        return value & CAP_GUEST_HIGH;
    case DMAR_ECAP:
        return value & ECAP_GUEST_LOW;
    case DMAR_ECAP + 4:
        return value & ECAP_GUEST_HIGH;
    case DMAR_GSTS:
        return value & GUEST_COMMANDS;
    default:
        return value;
    }
}

bool dmar_guest_allows(uint32_t offset, uint32_t *value)
{
    switch (offset) {
    case DMAR_GCMD:
        *value &= GUEST_COMMANDS;
        return true;
    case DMAR_RTADDR:
    case DMAR_RTADDR + 4:
    case DMAR_PMEN: /* protected memory could be ours */
        return false;
    default:
        return true;
    }
}
