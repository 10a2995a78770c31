/* Finding and loading a disk's boot sector: disk_load.c. Shell, private to boot/guest/. */
#ifndef BOOT_GUEST_DISK_LOAD_H
#define BOOT_GUEST_DISK_LOAD_H

#include "boot/guest/guest.h"

/* Check the module, whose line has named the disk so. Fails the boot if the machine cannot boot it. */
void disk_find(struct guest *guest, const struct boot_info *info, const struct boot_module *module, const char *name);

/* Load the sector, and what enters it. Fails the boot if the memory is not free. */
struct guest_entry disk_load(const struct guest *guest, const struct guest_machine *machine);

#endif
