/*
 * The boot loader's Multiboot2 information, parsed into one struct.
 *
 * Source: Multiboot2 Specification 2.0, "Boot information format".
 */
#ifndef BOOT_MB2_H
#define BOOT_MB2_H

#include <stddef.h>
#include <stdint.h>

#include "boot/memory/carve.h"

#define MB2_BOOTLOADER_MAGIC 0x36d76289u
#define MB2_MAX_MODULES 8u
#define MB2_RSDP_MAX 36u

struct mb2_module {
    struct range range;
    const char *line; /* NUL-terminated, in the information */
};

enum mb2_framebuffer_type { MB2_FRAMEBUFFER_INDEXED = 0, MB2_FRAMEBUFFER_RGB = 1, MB2_FRAMEBUFFER_TEXT = 2 };

struct mb2_framebuffer {
    uint64_t pa;                   /* 0: GRUB passed none */
    uint32_t pitch, width, height; /* bytes, pixels or characters */
    uint8_t bpp;
    uint8_t type;                                                          /* enum mb2_framebuffer_type */
    uint8_t red_pos, red_size, green_pos, green_size, blue_pos, blue_size; /* RGB only, in bits */
};

/* UEFI's memory map, inside the information. */
struct mb2_efi_map {
    const uint8_t *bytes; /* NULL: none */
    uint32_t size, descriptor_size, descriptor_version;
};

struct mb2_info {
    uint32_t size;    /* of the information in bytes */
    const char *line; /* the hypervisor's command line, "" if none; points into the information */
    uint32_t nr_modules;
    struct mb2_module modules[MB2_MAX_MODULES];
    struct memory_map map;
    struct mb2_framebuffer framebuffer;
    uint8_t rsdp[MB2_RSDP_MAX]; /* a copy of the RSDP, of ACPI 2.0 if there are two */
    uint32_t rsdp_size;         /* 0, 20 or 36 */
    uint64_t efi_system_table;  /* of 64-bit UEFI; 0: booted by BIOS */
    struct mb2_efi_map efi_map;
};

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
enum mb2_error mb2_parse(struct mb2_info *info, const void *bytes, size_t limit);

/* If word is the first word of the module's line, the rest of the line without leading blanks; else NULL. */
const char *mb2_module_rest(const struct mb2_module *module, const char *word);

#endif
