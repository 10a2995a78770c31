/* Kind: core */
/* Why output ended with an operational error. See pt/output/fault.h. */
#include "pt/output/fault.h"

struct search {
    const struct fault_tables *tables;
    struct fault *fault;
};

/* Remembers the last entry that was read: that is the wrong one. */
static uint64_t read_entry(void *context, uint64_t pa)
{
    const struct search *search = context;
    uint64_t slot = (pa - search->tables->pa) / 8;
    search->fault->found = pa >= search->tables->pa && slot < search->tables->nr_slots;
    if (!search->fault->found)
        return TOPA_END; /* the walk must get some entry; this one is not reported */
    search->fault->slot = (uint32_t)slot;
    search->fault->entry = search->tables->entries[slot];
    return search->fault->entry;
}

struct fault fault_find(const struct fault_tables *tables, struct topa_ptrs ptrs, unsigned maxphyaddr,
                        bool single_region)
{
    struct fault fault = {.found = false};
    struct search search = {tables, &fault};
    struct topa_walk walk = {.ptrs = ptrs};
    fault.error = topa_walk_load(&walk, read_entry, &search, maxphyaddr, single_region);
    return fault;
}

uint32_t fault_detail(const struct fault *fault)
{
    return (uint32_t)fault->error | (fault->found ? fault->slot << 8 : 0);
}
