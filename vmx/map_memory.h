/*
 * What root remembers of what it has told of the guest's memory, so that it tells only what is new. The machine's lock
 * guards it. Private to vmx/.
 */
#ifndef VMX_MAP_MEMORY_H
#define VMX_MAP_MEMORY_H

#include <stdint.h>

#include "vmx/machine.h"
#include "vmx/page_sums.h"
#include "vmx/space_life.h"
#include "vmx/space_look.h"

/* What was told of a stretch last. Where two share a place, one is told again: that costs bytes, nothing else. */
#define NR_TOLD 16384u
struct told {
    uint64_t space, linear, sum;
    uint32_t life;   /* of the space, vmx/space_life.h */
    bool executable; /* there is something to run */
};

/* All zero at the start. */
struct map_memory {
    struct told told[NR_TOLD];               /* vmx/guest_map.c */
    struct page_sums sent;                   /* code pages, as vmx/code_pages.c sent them */
    struct space_look looks[NR_SPACE_LOOKS]; /* vmx/space_look.c */
    struct space_life lives[NR_SPACE_LIVES]; /* vmx/space_life.c */
    uint32_t nr_lives;
};

/* NULL: the guest's page tables are not followed. */
static inline struct map_memory *map_memory(void)
{
    return machine.config.map_memory;
}

#endif
