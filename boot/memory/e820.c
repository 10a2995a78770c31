/* Kind: core, init */
#include "boot/memory/e820.h"

#include "base/bytes.h"

void e820_build(uint8_t *out, const struct memory_map *map, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++, out += E820_ENTRY_SIZE) {
        put64(out, map->ranges[i].range.start);
        put64(out + 8, map->ranges[i].range.end - map->ranges[i].range.start);
        put32(out + 16, map->ranges[i].type);
    }
}
