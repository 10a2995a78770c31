/* Kind: core, init */
#include "boot/acpi/sleep_types.h"

#include <stdbool.h>

#define PACKAGE_OP 0x12u
#define ONE_OP 0x01u
#define BYTE_PREFIX 0x0au
#define NAME_BYTES 4u

/* A byte constant in AML. false: something else, or truncated. */
static bool read_byte(uint32_t *value, const uint8_t *at, const uint8_t *end)
{
    if (at == end || (*at > ONE_OP && *at != BYTE_PREFIX))
        return false;
    if (*at == BYTE_PREFIX && end - at < 2)
        return false;
    *value = *at == BYTE_PREFIX ? at[1] : *at;
    return true;
}

/* The first element of a package: PackageOp PkgLength NumElements. Bits 7:6 of PkgLength's
 * first byte are the number of bytes that follow it. */
static bool first_element(uint32_t *value, const uint8_t *at, const uint8_t *end)
{
    if (end - at < 2 || *at != PACKAGE_OP)
        return false;
    const uint32_t head = 3u + (at[1] >> 6);
    return (uint64_t)(end - at) > head && at[head - 1] != 0 && read_byte(value, at + head, end);
}

static bool is_sleep(const uint8_t *name)
{
    return name[0] == '_' && name[1] == 'S' && name[2] >= '1' && name[2] <= '3' && name[3] == '_';
}

uint8_t sleep_types_find(const uint8_t *table, uint32_t size)
{
    uint8_t types = 0;
    for (uint32_t i = 0; size >= NAME_BYTES && i <= size - NAME_BYTES; i++) {
        uint32_t value;
        if (is_sleep(table + i) && first_element(&value, table + i + NAME_BYTES, table + size))
            types |= (uint8_t)(1u << (value & 7));
    }
    return types;
}
