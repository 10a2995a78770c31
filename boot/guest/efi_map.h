/*
 * UEFI's memory map, as the guest is to see it: without our range.
 *
 * Core. Source: UEFI Specification 2.10, section 7.2.3 "EFI_BOOT_SERVICES.GetMemoryMap()".
 */
#ifndef BOOT_GUEST_EFI_MAP_H
#define BOOT_GUEST_EFI_MAP_H

#include "boot/mb2.h"

/* Bytes that efi_map_build may need: each descriptor, and three for one that ours cuts. 0: there is no map, or none
 * that makes sense. */
uint32_t efi_map_bytes(const struct mb2_efi_map *map);

/* Copy map to out, efi_map_bytes bytes, with ours (empty: nothing) as reserved memory. Returns the bytes used. */
uint32_t efi_map_build(uint8_t *out, const struct mb2_efi_map *map, struct range ours);

#endif
