/*
 * The Linux boot protocol: is this a kernel that we can start, where does everything go, what is it told.
 *
 * Core. Source: Linux, Documentation/arch/x86/boot.rst ("The Real-Mode Kernel Header", "32-bit Boot Protocol") and
 * zero-page.rst.
 */
#ifndef BOOT_GUEST_LINUX_H
#define BOOT_GUEST_LINUX_H

#include <stddef.h>
#include <stdint.h>

#include "boot/mb2.h"
#include "boot/memory/carve.h"

#define LINUX_PARAMS_SIZE 4096u
/* The guest's command line with its NUL, at most; a kernel may ask for less. */
#define LINUX_LINE_SIZE 4096u
/* What lies at struct linux_place's boot_area: boot_params, the command line, one page for the way out without VMX. */
#define LINUX_BOOT_AREA_SIZE (LINUX_PARAMS_SIZE + LINUX_LINE_SIZE + 4096u)

enum linux_error {
    LINUX_OK = 0,
    LINUX_TOO_SHORT,    /* shorter than a setup header */
    LINUX_NO_BOOT_FLAG, /* no AA55H at 1FEH */
    LINUX_NO_HDRS,      /* no "HdrS" at 202H */
    LINUX_TOO_OLD,      /* protocol before 2.10 */
    LINUX_NOT_HIGH,     /* a zImage */
    LINUX_TRUNCATED,    /* the file ends before the kernel does */
    LINUX_BAD_HEADER,   /* kernel_alignment or init_size make no sense */
    LINUX_LINE_TOO_LONG,
    LINUX_NO_PLACE_KERNEL,
    LINUX_NO_PLACE_INITRD,
    LINUX_NO_PLACE_PARAMS
};
/* What is wrong, to stand behind the file's name and a colon. */
const char *linux_error_text(enum linux_error error);

/* A checked kernel file. */
struct linux_kernel {
    const uint8_t *file;
    uint32_t code_offset, code_size; /* the protected-mode kernel in the file */
    uint32_t init_size;              /* memory that it needs at its load address */
    uint64_t pref_address;
    uint64_t alignment;
    bool relocatable;
    uint32_t initrd_addr_max; /* highest address that an initrd's byte may have */
    uint32_t line_max;        /* bytes of a command line, without its NUL */
    const char *version;      /* the kernel's own words, "" if there are none; in the file */
};

enum linux_error linux_check(struct linux_kernel *kernel, const uint8_t *file, size_t size);

/* Where things go. The order in which they are put there: initrd, kernel (both as by memmove), boot area. */
struct linux_place {
    struct range kernel; /* init_size bytes; the code goes to its start */
    uint64_t initrd;     /* 0: there is none */
    uint64_t boot_area;
};

/* What is where now. */
struct linux_sources {
    struct range kernel;    /* the whole file */
    struct range initrd;    /* empty: none */
    struct range ours;      /* carved: nothing is put here */
    uint32_t efi_map_bytes; /* room for UEFI's memory map behind the boot area; and behind that for the rest of map */
};

/* Find places in map's usable memory such that the order above loses nothing. */
enum linux_error linux_place(struct linux_place *place, const struct linux_kernel *kernel, const struct memory_map *map,
                             const struct linux_sources *sources);

/* What the guest is told. */
struct linux_facts {
    const struct memory_map *map; /* the guest's E820 */
    const struct mb2_framebuffer *framebuffer;
    bool efi;         /* booted by UEFI firmware */
    uint64_t rsdp_pa; /* 0: the guest searches */
    uint64_t initrd_size;
    uint64_t efi_system_table; /* 0: no UEFI firmware, or its map is not to be had */
    uint32_t efi_map_size, efi_descriptor_size, efi_descriptor_version;
    uint32_t e820_rest; /* where linux_e820_rest_build has put the rest of the map, in the boot area */
};

/* What of map has no room in boot_params: bytes; 0: all has. */
uint32_t linux_e820_rest_bytes(const struct memory_map *map);
void linux_e820_rest_build(uint8_t *out, const struct memory_map *map);
#define LINUX_E820_REST_MAX (16u + (MEMORY_MAP_MAX - 128u) * 20u)

/* Fill params, LINUX_PARAMS_SIZE bytes. The command line is at place->boot_area + LINUX_PARAMS_SIZE, UEFI's memory map
 * at place->boot_area + LINUX_BOOT_AREA_SIZE. */
void linux_params_build(uint8_t *params, const struct linux_kernel *kernel, const struct linux_place *place,
                        const struct linux_facts *facts);

#endif
