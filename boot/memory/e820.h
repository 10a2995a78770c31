/*
 * The memory map as the BIOS's INT 15h function E820h and Linux's boot_params have it: entries of 20 bytes, which are
 * base, length (8 bytes each) and type (4). ACPI Specification, "INT 15H, E820H - Query System Address Map".
 */
#ifndef BOOT_MEMORY_E820_H
#define BOOT_MEMORY_E820_H

#include <stdint.h>

#include "boot/memory/carve.h"

#define E820_ENTRY_SIZE 20u

/* Write the map's ranges from number first up to, but not including, number end. */
void e820_build(uint8_t *out, const struct memory_map *map, uint32_t first, uint32_t end);

#endif
