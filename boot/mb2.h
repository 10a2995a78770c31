/*
 * The boot loader's Multiboot2 information, parsed into one struct.
 *
 * Source: Multiboot2 Specification 2.0, "Boot information format".
 */
#ifndef BOOT_MB2_H
#define BOOT_MB2_H

#include <stddef.h>
#include <stdint.h>

#include "boot/info.h"

#define MB2_BOOTLOADER_MAGIC 0x36d76289u

enum mb2_error {
    MB2_OK = 0,
    MB2_BAD_SIZE,      /* total size below 16, not a multiple of 8, or above the limit */
    MB2_TAG_TOO_SMALL, /* a tag is smaller than its type requires */
    MB2_TAG_OVERRUN,   /* a tag ends after the information */
    MB2_NO_END,        /* there is no end tag */
    MB2_UNTERMINATED,  /* a string is not terminated */
    MB2_BAD_MODULE,    /* a module ends before it starts */
    MB2_TOO_MANY_MODULES,
    MB2_BAD_MAP, /* the memory map's entry size is below 24 or not a multiple of 8 */
    MB2_MAP_FULL,
    MB2_NO_MAP
};
const char *mb2_error_text(enum mb2_error error);

/* Parse the information at bytes (8-byte aligned, at most limit bytes long). info's strings point into it. */
enum mb2_error mb2_parse(struct boot_info *info, const void *bytes, size_t limit);

/* If word is the first word of the module's line, the rest of the line without leading blanks; else NULL. */
const char *mb2_module_rest(const struct boot_module *module, const char *word);

#endif
