/* The guest: a kernel with its initrd, or a disk's boot sector. Finding them among the boot loader's modules, and
 * loading them. */
#ifndef BOOT_GUEST_GUEST_H
#define BOOT_GUEST_GUEST_H

#include "base/arena.h"
#include "boot/guest/linux.h"

/* A BIOS disk whose boot sector is the guest (boot/guest/disk.h). */
struct disk_guest {
    uint64_t sector_pa; /* as the boot loader has read it; 0: the guest is a kernel */
    uint8_t drive;      /* the BIOS's number, from 80h on */
};

struct guest {
    struct disk_guest disk;
    struct linux_kernel kernel;
    struct linux_sources sources; /* guest_load sets its member ours */
    const char *line;             /* the command line */
};

/* How it is entered, by Linux's 32-bit boot protocol or as boot/guest/disk_start.S says. */
struct guest_entry {
    uint32_t eip;
    uint32_t esi;           /* boot_params; 0: none */
    uint32_t spare_page_pa; /* an unused page of the guest's memory */
};

/* The machine that the guest finds. */
struct guest_machine {
    const struct memory_map *map;    /* its E820 map */
    const struct memory_map *places; /* the same, but only what is free now is usable: the guest is loaded there */
    struct range carved;             /* our memory: the guest must not be loaded there */
    bool carved_is_reserved;         /* also in UEFI's memory map */
    uint64_t rsdp_pa;                /* 0: unknown, the guest searches */
};

/* Find and check the guest's modules. Fails the boot if one is missing or invalid. */
void guest_find(struct guest *guest, const struct boot_info *info);

/* The kernel's version string, or a text that says that it has none or is none. */
const char *guest_name(const struct guest *guest);

/* Load kernel, initrd and boot_params. This may overwrite the modules and the boot loader's information. Buffers come
 * from arena. Fails the boot if there is no room. */
struct guest_entry guest_load(struct guest *guest, const struct boot_info *info, const struct guest_machine *machine,
                              struct arena *arena);

#endif
