/* Kind: core */
#include "vtd/dmar_fault.h"

#include "vtd/dmar_registers.h"

#define PAGE_BYTES 4096u

/* 7.1.3, legacy mode. All other reasons mean a root entry, context entry or table that is missing, invalid or
 * inaccessible. */
enum reason {
    REASON_BEYOND_WIDTH = 0x4, /* the address has more bits than the unit or the tables support */
    REASON_NO_WRITE = 0x5,
    REASON_NO_READ = 0x6,
    REASON_TRANSLATED = 0xd /* a translated request or a translation request (ATS) */
};

static uint32_t record_at(uint64_t capabilities, uint32_t index)
{
    return (uint32_t)DMAR_CAP_FAULTS_AT(capabilities) + index * DMAR_FAULT_BYTES;
}

/* A record and the overflow bit are cleared by writing 1. */
void dmar_clear_faults(const struct dmar_access *access, uint64_t capabilities)
{
    for (uint32_t i = 0; i < DMAR_CAP_NR_FAULTS(capabilities); i++)
        dmar_set(access, record_at(capabilities, i) + DMAR_FAULT_TYPE, DMAR_FAULT_THERE);
    dmar_set(access, DMAR_FSTS, DMAR_FSTS_OVERFLOW);
}

/* FSTS has the index of the oldest record; later ones follow, with wrap-around. FSTS.PPF clears itself with the last
 * record. After an overflow, the unit records no fault until FSTS.PFO is cleared. */
bool dmar_unit_fault(const struct dmar_access *access, struct dmar_fault *fault)
{
    const uint32_t status = dmar_get(access, DMAR_FSTS);

    if (!(status & (DMAR_FSTS_PENDING | DMAR_FSTS_OVERFLOW)) || status == DMAR_NO_REGISTER)
        return false;
    const uint64_t capabilities = dmar_get64(access, DMAR_CAP);
    const uint32_t nr = (uint32_t)DMAR_CAP_NR_FAULTS(capabilities);

    for (uint32_t i = 0; i < nr; i++) {
        const uint32_t at = record_at(capabilities, (DMAR_FSTS_FIRST(status) + i) % nr);
        const uint32_t type = dmar_get(access, at + DMAR_FAULT_TYPE);
        if (!(type & DMAR_FAULT_THERE))
            continue;
        *fault = (struct dmar_fault){.requester = (uint16_t)dmar_get(access, at + DMAR_FAULT_SOURCE),
                                     .is_read = type & DMAR_FAULT_IS_READ,
                                     .reason = (uint8_t)type,
                                     .page = dmar_get64(access, at) & ~(PAGE_BYTES - 1ull)};
        dmar_set(access, at + DMAR_FAULT_TYPE, DMAR_FAULT_THERE);
        return true;
    }
    dmar_set(access, DMAR_FSTS, DMAR_FSTS_OVERFLOW);
    return false;
}

bool dmar_fault_is_expected(const struct dmar_fault *fault, struct range ours, uint64_t machine_end)
{
    switch (fault->reason) {
    case REASON_NO_WRITE:
    case REASON_NO_READ:
        return fault->page >= machine_end ||
               range_overlaps(ours, (struct range){fault->page, fault->page + PAGE_BYTES});
    case REASON_BEYOND_WIDTH:
        return fault->page >= machine_end;
    case REASON_TRANSLATED: /* the guest sees no VT-d, so it has not enabled ATS */
        return true;
    default:
        return false;
    }
}
