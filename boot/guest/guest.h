/* The guest's files: finding them among the modules, and putting them where the guest starts from. Shell. */
#ifndef BOOT_GUEST_GUEST_H
#define BOOT_GUEST_GUEST_H

#include "base/arena.h"
#include "boot/guest/linux.h"

struct guest {
    struct linux_kernel kernel;
    struct linux_sources sources; /* ours: filled in by guest_load */
    const char *line;             /* the command line */
};

/* Where it is entered. */
struct guest_entry {
    uint32_t eip;
    uint32_t esi;
    uint32_t spare_page_pa; /* a page that is the guest's and not used yet */
};

/* What it is to find. */
struct guest_machine {
    const struct memory_map *map; /* its E820 */
    struct range carved;          /* nothing of the guest's is put here */
    bool ours;                    /* carved stays ours: it is kept out of UEFI's memory map */
    uint64_t rsdp_pa;             /* 0: it searches */
};

/* Find and check kernel and initrd. What is missing or wrong ends the boot with a message. */
void guest_find(struct guest *guest, const struct mb2_info *info);

/* The kernel's own words about itself, or words that say that it has none. */
const char *guest_name(const struct guest *guest);

/* Put everything in its place; the modules and the boot loader's information are gone afterwards. Buffers come from
 * arena. No place is the end, with a message. */
struct guest_entry guest_load(struct guest *guest, const struct mb2_info *info, const struct guest_machine *machine,
                              struct arena *arena);

#endif
