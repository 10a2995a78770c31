/* An arena: memory that is allocated and never freed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdint.h>

struct arena {
    uint8_t *va;   /* where pa is mapped */
    uint64_t pa;   /* physical address of the first byte */
    uint64_t size; /* bytes */
    uint64_t used; /* bytes */
};

/* Returns size zeroed bytes at a multiple of align (a power of two, of the physical address too), or NULL if too little
 * is left. */
void *arena_take(struct arena *arena, uint64_t size, uint64_t align);

#endif
