/* The firmware's memory map while it is running. Core. */
#ifndef BOOT_EFI_MAP_H
#define BOOT_EFI_MAP_H

#include <stdbool.h>

#include "boot/info.h"

/* all: the map that an operating system gets, in which the memory of the boot services and of loaders is usable.
 * places: only what is free now is usable. false: a map is full, or efi is invalid. */
bool map_of_efi(struct memory_map *all, struct memory_map *places, const struct boot_efi_map *efi);

#endif
