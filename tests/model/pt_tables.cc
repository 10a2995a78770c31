/*
 * Reading ToPA tables. The processor may take in entries before their turn comes and does not see what is changed in
 * them afterwards; how many is the configuration's "ahead".
 *
 * Source: SDM "Table of Physical Addresses (ToPA)" (36.2.6.2): "may cache internally any number of entries".
 */
#include "pt_internal.h"

#include "memory/memory-bochs.h"

static uint64_t memory_read(BX_CPU_C *cpu, uint64_t pa)
{
    uint64_t entry = 0;
    if (cpu->ptm.output_gpa && !ptm_guest_physical(cpu, &pa, false))
        return ~0ull; /* reserved bits: an operational error */
    BX_MEM(0)->readPhysicalPage(cpu, pa, 8, &entry);
    return entry;
}

void ptm_table_spoil(BX_CPU_C *cpu)
{
    static const uint64_t RESERVED = 2;
    static uint32_t taken;
    struct ptm_cpu *p = &cpu->ptm;
    if (ptm_config.spoil == 0 || ++taken % ptm_config.spoil != 0)
        return;
    uint64_t pa = p->walk.ptrs.table_pa + 8ull * p->walk.ptrs.index;
    uint64_t entry = memory_read(cpu, pa) | RESERVED;
    BX_MEM(0)->writePhysicalPage(cpu, pa, 8, &entry);
    p->nr_ahead = 0;
}

uint64_t ptm_table_read(void *context, uint64_t pa)
{
    BX_CPU_C *cpu = (BX_CPU_C *)context;
    const struct ptm_cpu *p = &cpu->ptm;
    for (uint32_t n = 0; n < p->nr_ahead; n++)
        if (p->ahead[n].pa == pa)
            return p->ahead[n].entry;
    return memory_read(cpu, pa);
}

/* Make what is cached the entries that follow the one in use, END entries among them: old ones as they were read. */
void ptm_table_ahead(BX_CPU_C *cpu)
{
    struct ptm_cpu *p = &cpu->ptm;
    struct ptm_table_entry ahead[PTM_MAX_AHEAD];
    uint64_t pa = p->walk.ptrs.table_pa + 8ull * p->walk.ptrs.index;
    uint32_t nr = 0;
    for (uint32_t regions = 0; regions < ptm_config.ahead && nr < PTM_MAX_AHEAD; nr++) {
        pa += 8;
        ahead[nr] = {pa, ptm_table_read(cpu, pa)};
        if (!(ahead[nr].entry & TOPA_END)) {
            regions++;
            continue;
        }
        if (topa_entry_check(ahead[nr].entry, 1, BX_PHY_ADDRESS_WIDTH) != TOPA_OK) {
            nr++;
            break;
        }
        pa = topa_entry_base_pa(ahead[nr].entry) - 8;
    }
    memcpy(p->ahead, ahead, nr * sizeof(ahead[0]));
    p->nr_ahead = nr;
}
