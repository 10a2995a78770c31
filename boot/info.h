/*
 * What the boot says about the machine and about what to start, in whatever way we were started: boot/mb2.c makes it of
 * a Multiboot2 boot loader's information, boot/efi/ of what the firmware's services report.
 */
#ifndef BOOT_INFO_H
#define BOOT_INFO_H

#include <stdint.h>

#include "boot/memory/carve.h"

#define BOOT_MAX_MODULES 8u
#define BOOT_RSDP_MAX 36u

struct boot_module {
    struct range range;
    const char *line; /* NUL-terminated */
};

/* The numbers are Multiboot2's. */
enum boot_framebuffer_type { BOOT_FRAMEBUFFER_INDEXED = 0, BOOT_FRAMEBUFFER_RGB = 1, BOOT_FRAMEBUFFER_TEXT = 2 };

struct boot_framebuffer {
    uint64_t pa;                   /* 0: there is none */
    uint32_t pitch, width, height; /* bytes, pixels or characters */
    uint8_t bpp;
    uint8_t type;                                                          /* enum boot_framebuffer_type */
    uint8_t red_pos, red_size, green_pos, green_size, blue_pos, blue_size; /* RGB only, in bits */
};

/* UEFI's memory map. */
struct boot_efi_map {
    const uint8_t *bytes; /* NULL: none */
    uint32_t size, descriptor_size, descriptor_version;
};

struct boot_info {
    uint32_t size;    /* of the boot loader's information in bytes; 0: there is none in memory */
    const char *line; /* the hypervisor's command line, "" if none */
    uint32_t nr_modules;
    struct boot_module modules[BOOT_MAX_MODULES];
    struct memory_map map; /* what an operating system may use is usable */
    struct boot_framebuffer framebuffer;
    uint8_t rsdp[BOOT_RSDP_MAX]; /* a copy of the RSDP, of ACPI 2.0 if there are two */
    uint32_t rsdp_size;          /* 0, 20 or 36 */
    uint64_t efi_system_table;   /* of 64-bit UEFI; 0: booted by BIOS */
    struct boot_efi_map efi_map;
};

#endif
