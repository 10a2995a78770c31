/* Kind: core */
#include "vmx/code/descriptors.h"

#include "base/bytes.h"

#define DESCRIPTOR_SIZE 8u
/* Of the upper doubleword. */
#define TYPE_CODE (1u << 11)
#define S (1u << 12)
#define P (1u << 15)
#define D (1u << 22)

static uint32_t base_of(uint32_t low, uint32_t high)
{
    return low >> 16 | (high & 0xff) << 16 | (high & 0xff000000);
}

bool descriptors_share_base(const uint8_t *table, uint32_t bytes, uint32_t base)
{
    for (uint32_t at = 0; at + DESCRIPTOR_SIZE <= bytes; at += DESCRIPTOR_SIZE) {
        const uint32_t high = read32(table + at + 4), own = base_of(read32(table + at), high);

        if ((high & (TYPE_CODE | S | P)) != (TYPE_CODE | S | P) || ((high & D) && own == 0))
            continue;
        if (own != base)
            return false;
    }
    return true;
}
