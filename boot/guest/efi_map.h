/*
 * UEFI's memory map: which memory is free when we start, and the map for the guest, in which our range is reserved.
 *
 * Source: UEFI Specification 2.10, section 7.2.3 "EFI_BOOT_SERVICES.GetMemoryMap()".
 */
#ifndef BOOT_GUEST_EFI_MAP_H
#define BOOT_GUEST_EFI_MAP_H

#include "boot/info.h"

/* The most bytes that efi_map_build writes: our range may split one descriptor into three. 0: there is no valid map. */
uint32_t efi_map_bytes(const struct boot_efi_map *map);

/* Copy map to out, which has efi_map_bytes bytes, and mark ours (may be empty) as reserved. Returns the bytes written.
 */
uint32_t efi_map_build(uint8_t *out, const struct boot_efi_map *map, struct range ours);

/* Copy map, which GRUB has made of UEFI's efi, to places; only memory that is not in use stays usable there. In map, as
 * in E820, the memory of UEFI's boot services is usable: an operating system may use it, but only after it has taken
 * what the firmware has left there for it. Without a valid efi it is a plain copy. */
void efi_map_places(struct memory_map *places, const struct memory_map *map, const struct boot_efi_map *efi);

#endif
