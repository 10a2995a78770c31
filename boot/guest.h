/* The guest's files: finding them among the modules, and putting them where the guest starts from. Shell. */
#ifndef BOOT_GUEST_H
#define BOOT_GUEST_H

#include "boot/linux.h"

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

/* Find and check kernel and initrd. What is missing or wrong ends the boot with a message. */
void guest_find(struct guest *guest, const struct mb2_info *info);

/* Put everything in its place; the modules and the boot loader's information are gone afterwards. ours stays untouched.
 * Buffers come from arena. No place is the end, with a message. */
struct guest_entry guest_load(struct guest *guest, struct range ours, struct arena *arena, struct linux_facts facts);

#endif
