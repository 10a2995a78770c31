/* What the firmware's services say about the machine, as struct boot_info has it. */
#ifndef BOOT_EFI_GATHER_H
#define BOOT_EFI_GATHER_H

#include <stdint.h>

#include "boot/info.h"

/* The options that the image was started with; line: of size bytes. A first word that ends in .efi is left out: the
 * UEFI shell passes the image's name as well. Characters other than ASCII become '?'. */
void gather_line(char *line, uint32_t size, uint64_t image_handle);

/* The framebuffer and the RSDP. */
void gather_screen(struct boot_framebuffer *framebuffer);
void gather_rsdp(struct boot_info *info);

/* The memory map, in the firmware's form and in ours. NULL: done; else why not. The next service that allocates memory
 * changes the map. */
const char *gather_map(struct boot_info *info, struct memory_map *places);

#endif
