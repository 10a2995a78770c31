/* Kind: core, init */
#include "base/arena.h"

#include <stddef.h>
#include <string.h>

void *arena_take(struct arena *arena, uint64_t size, uint64_t align)
{
    uint64_t at = (arena->pa + arena->used + align - 1) & ~(align - 1);
    uint64_t offset = at - arena->pa;
    if (offset > arena->size || arena->size - offset < size)
        return NULL;
    arena->used = offset + size;
    return memset(arena->va + offset, 0, size);
}
