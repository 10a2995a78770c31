/*
 * The Linux boot protocol: checking a kernel, placing its parts in memory, and building boot_params.
 *
 * Source: Linux, Documentation/arch/x86/boot.rst ("The Real-Mode Kernel Header", "32-bit Boot Protocol") and
 * zero-page.rst.
 */
#ifndef BOOT_GUEST_LINUX_H
#define BOOT_GUEST_LINUX_H

#include <stddef.h>
#include <stdint.h>

#include "boot/info.h"
#include "boot/memory/carve.h"

#define LINUX_PARAMS_SIZE 4096u
/* The longest command line, including its NUL; a kernel may allow less. */
#define LINUX_LINE_SIZE 4096u
/* The boot area: boot_params, the command line, and a page for direct_enter (boot/guest/direct.h). */
#define LINUX_BOOT_AREA_SIZE (LINUX_PARAMS_SIZE + LINUX_LINE_SIZE + 4096u)

enum linux_error {
    LINUX_OK = 0,
    LINUX_TOO_SHORT,    /* shorter than a setup header */
    LINUX_NO_BOOT_FLAG, /* no AA55H at 1FEH */
    LINUX_NO_HDRS,      /* no "HdrS" at 202H */
    LINUX_TOO_OLD,      /* protocol before 2.10 */
    LINUX_NOT_HIGH,     /* a zImage */
    LINUX_TRUNCATED,    /* the file ends before the kernel does */
    LINUX_BAD_HEADER,   /* invalid kernel_alignment, init_size or pref_address */
    LINUX_LINE_TOO_LONG,
    LINUX_NO_PLACE_KERNEL,
    LINUX_NO_PLACE_INITRD,
    LINUX_NO_PLACE_PARAMS
};
/* The error as a text, for a message about the file. */
const char *linux_error_text(enum linux_error error);

/* A checked kernel file. */
struct linux_kernel {
    const uint8_t *file;
    uint32_t code_offset, code_size; /* the protected-mode kernel in the file */
    uint32_t init_size;              /* bytes of memory that it needs at its load address */
    uint64_t pref_address;
    uint64_t alignment;
    bool relocatable;
    uint32_t initrd_addr_max; /* highest address of the initrd's last byte */
    uint32_t line_max;        /* bytes of a command line, without its NUL */
    const char *version;      /* its version string, in the file; "" if it has none */
};

/* Check a kernel file of size bytes, and read its header. */
enum linux_error linux_check(struct linux_kernel *kernel, const uint8_t *file, size_t size);

/* Load addresses. Parts must be loaded in this order: initrd, kernel (both by memmove), boot area. */
struct linux_place {
    struct range kernel; /* init_size bytes; the code goes to its start */
    uint64_t initrd;     /* 0: no initrd */
    uint64_t boot_area;
};

/* Where the parts are before loading. */
struct linux_sources {
    struct range kernel;    /* the whole file */
    struct range initrd;    /* empty: none */
    struct range ours;      /* our memory: nothing is loaded here */
    uint32_t efi_map_bytes; /* for UEFI's memory map after the boot area */
    uint32_t e820_bytes;    /* for what follows it: the guest's E820 entries that boot_params has no room for */
};

/* Choose load addresses in map's usable memory such that loading in the order above overwrites no part still needed. */
enum linux_error linux_place(struct linux_place *place, const struct linux_kernel *kernel, const struct memory_map *map,
                             const struct linux_sources *sources);

/* What boot_params contains. */
struct linux_facts {
    const struct memory_map *map; /* the guest's E820 */
    const struct boot_framebuffer *framebuffer;
    bool efi;         /* booted by UEFI firmware */
    uint64_t rsdp_pa; /* 0: unknown, the guest searches */
    uint64_t initrd_size;
    uint64_t efi_system_table; /* 0: no UEFI, or no valid UEFI memory map */
    uint32_t efi_map_size, efi_descriptor_size, efi_descriptor_version;
    uint32_t e820_rest; /* offset from the boot area of what linux_e820_rest_build has written */
};

/* Entries of map that do not fit into boot_params go into a setup_data element of this many bytes; 0: all fit. */
uint32_t linux_e820_rest_bytes(const struct memory_map *map);
void linux_e820_rest_build(uint8_t *out, const struct memory_map *map);
#define LINUX_E820_REST_MAX (16u + (MEMORY_MAP_MAX - 128u) * 20u)

/* Fill in params, LINUX_PARAMS_SIZE bytes. The command line is at place->boot_area + LINUX_PARAMS_SIZE, UEFI's memory
 * map at place->boot_area + LINUX_BOOT_AREA_SIZE. */
void linux_params_build(uint8_t *params, const struct linux_kernel *kernel, const struct linux_place *place,
                        const struct linux_facts *facts);

#endif
