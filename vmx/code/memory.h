/*
 * What vmx/code/ remembers about the records that it has sent, so that it sends only what is new.
 * The machine's lock guards it. Private to vmx/code/.
 */
#ifndef VMX_CODE_MEMORY_H
#define VMX_CODE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/code/page_sums.h"
#include "vmx/code/space_lifetime.h"
#include "vmx/code/space_scan.h"
#include "vmx/cpu/machine.h"

/* The last RECORD_MAP of a stretch. Where two stretches share a slot, one of them is sent again: that costs bytes,
 * nothing else. */
#define NR_SENT_MAPS 16384u
struct sent_map {
    uint64_t space, linear, sum; /* sum: of the record's contents */
    uint32_t generation;         /* of the space, space_lifetime.h; 0: an unused slot */
    bool executable;             /* the record had executable pages */
};

/* All zero at the start. */
struct code_memory {
    struct sent_map maps[NR_SENT_MAPS];                  /* mappings.c */
    struct page_sums sent;                               /* pages.c: the pages as they were sent */
    struct space_scan scans[NR_SPACE_SCANS];             /* space_scan.c */
    struct space_lifetime lifetimes[NR_SPACE_LIFETIMES]; /* space_lifetime.c */
    uint32_t nr_generations;                             /* space_lifetime.c */
};

/* NULL: the guest's page tables are not followed. */
static inline struct code_memory *code_memory(void)
{
    return machine.config.map_memory;
}

#endif
