/* Kind: core, init */
#include "boot/guest/linux.h"

#include <string.h>

#include "base/bytes.h"
#include "boot/guest/linux_fields.h"

#define LOADFLAGS_LOADED_HIGH 0x01u

static const char *const error_texts[] = {
    [LINUX_OK] = "no error",
    [LINUX_TOO_SHORT] = "not a bzImage: shorter than a setup header",
    [LINUX_NO_BOOT_FLAG] = "not a bzImage: no boot flag AA55H at 1FEH",
    [LINUX_NO_HDRS] = "not a bzImage: no \"HdrS\" at 202H",
    [LINUX_TOO_OLD] = "its boot protocol is older than 2.10 (Linux 2.6.31)",
    [LINUX_NOT_HIGH] = "a zImage, which loads below 1 MiB; a bzImage is needed",
    [LINUX_TRUNCATED] = "the file ends before the kernel does",
    [LINUX_BAD_HEADER] = "its setup header has an invalid alignment or size",
    [LINUX_LINE_TOO_LONG] = "its command line is longer than it supports",
    [LINUX_NO_PLACE_KERNEL] = "too little memory: no room for the kernel",
    [LINUX_NO_PLACE_INITRD] = "too little memory: no room for the initrd",
    [LINUX_NO_PLACE_PARAMS] = "too little memory: no room for the boot parameters",
};

const char *linux_error_text(enum linux_error error)
{
    return error_texts[error];
}

/* The field kernel_version plus 200H is the offset of a string in the setup code. */
static const char *version_string(const uint8_t *file, uint32_t setup_size)
{
    uint32_t offset = read16(file + KERNEL_VERSION);
    if (offset == 0 || offset + 0x200 >= setup_size)
        return "";
    offset += 0x200;
    for (uint32_t i = offset; i < setup_size; i++) {
        if (file[i] == 0)
            return (const char *)file + offset;
    }
    return "";
}

enum linux_error linux_check(struct linux_kernel *kernel, const uint8_t *file, size_t size)
{
    if (size < SETUP_HEADER_MIN_END)
        return LINUX_TOO_SHORT;
    if (read16(file + BOOT_FLAG) != 0xaa55)
        return LINUX_NO_BOOT_FLAG;
    if (memcmp(file + HEADER_MAGIC, "HdrS", 4) != 0)
        return LINUX_NO_HDRS;
    if (read16(file + PROTOCOL_VERSION) < 0x20a)
        return LINUX_TOO_OLD;
    if (!(file[LOADFLAGS] & LOADFLAGS_LOADED_HIGH))
        return LINUX_NOT_HIGH;

    uint32_t setup_sects = file[SETUP_SECTS] ? file[SETUP_SECTS] : 4; /* by the protocol, 0 means 4 */
    uint64_t code_size = (uint64_t)read32(file + SYSSIZE) * 16;
    *kernel = (struct linux_kernel){.file = file,
                                    .code_offset = (setup_sects + 1) * 512,
                                    .code_size = (uint32_t)code_size,
                                    .init_size = read32(file + INIT_SIZE),
                                    .pref_address = read64(file + PREF_ADDRESS),
                                    .alignment = read32(file + KERNEL_ALIGNMENT),
                                    .relocatable = file[RELOCATABLE_KERNEL] != 0,
                                    .initrd_addr_max = read32(file + INITRD_ADDR_MAX),
                                    .line_max = read32(file + CMDLINE_SIZE)};
    if (kernel->code_offset >= size)
        return LINUX_TRUNCATED;
    /* syssize is in units of 16 bytes, of which the last may be incomplete. */
    if (code_size == 0 || code_size > size - kernel->code_offset + 15)
        return LINUX_TRUNCATED;
    if (code_size > size - kernel->code_offset)
        kernel->code_size = (uint32_t)(size - kernel->code_offset);
    if (kernel->alignment == 0 || (kernel->alignment & (kernel->alignment - 1)) != 0)
        return LINUX_BAD_HEADER;
    if (kernel->init_size < kernel->code_size || kernel->pref_address >= 1ull << 32)
        return LINUX_BAD_HEADER;
    if (kernel->line_max > LINUX_LINE_SIZE - 1)
        kernel->line_max = LINUX_LINE_SIZE - 1;
    kernel->version = version_string(file, kernel->code_offset);
    return LINUX_OK;
}

/* At pref_address if that is free; a relocatable kernel may be placed elsewhere. */
static bool place_kernel(struct range *out, const struct linux_kernel *kernel, const struct memory_map *map,
                         const struct range *ours)
{
    struct range preferred = {kernel->pref_address, kernel->pref_address + kernel->init_size};
    if (preferred.end <= 1ull << 32 && memory_range_free(map, preferred, ours, 1)) {
        *out = preferred;
        return true;
    }
    struct carve_request request = {.size = kernel->init_size,
                                    .align = kernel->alignment,
                                    .within = {0x100000, 1ull << 32},
                                    .avoid = ours,
                                    .nr_avoid = 1};
    return kernel->relocatable && carve_find(out, map, &request);
}

/* Leave the initrd where it is if the kernel allows that address and nothing else will be loaded there. Else place it
 * below initrd_addr_max, outside the kernel's file, which is copied later. */
static bool place_initrd(uint64_t *out, const struct linux_kernel *kernel, const struct memory_map *map,
                         const struct linux_sources *sources, struct range kernel_place)
{
    const struct range avoid[] = {sources->ours, kernel_place, sources->kernel};
    uint64_t end = (uint64_t)kernel->initrd_addr_max + 1;
    struct range current = sources->initrd;
    if (current.start % 4096 == 0 && current.end <= end && memory_range_free(map, current, avoid, 2)) {
        *out = current.start;
        return true;
    }
    struct carve_request request = {
        .size = current.end - current.start, .align = 4096, .within = {0x100000, end}, .avoid = avoid, .nr_avoid = 3};
    struct range found;
    if (!carve_find(&found, map, &request))
        return false;
    *out = found.start;
    return true;
}

enum linux_error linux_place(struct linux_place *place, const struct linux_kernel *kernel, const struct memory_map *map,
                             const struct linux_sources *sources)
{
    uint64_t initrd_size = sources->initrd.end - sources->initrd.start;
    *place = (struct linux_place){{0, 0}, 0, 0};
    if (!place_kernel(&place->kernel, kernel, map, &sources->ours))
        return LINUX_NO_PLACE_KERNEL;
    if (initrd_size > 0 && !place_initrd(&place->initrd, kernel, map, sources, place->kernel))
        return LINUX_NO_PLACE_INITRD;

    /* In conventional memory like other loaders, else anywhere below 4 GiB. Page 0 belongs to the BIOS. */
    const struct range avoid[] = {sources->ours, place->kernel, {place->initrd, place->initrd + initrd_size}};
    struct carve_request request = {.size = LINUX_BOOT_AREA_SIZE + sources->efi_map_bytes + sources->e820_bytes,
                                    .align = 4096,
                                    .within = {0x1000, 0xa0000},
                                    .avoid = avoid,
                                    .nr_avoid = 3};
    struct range found;
    if (!carve_find(&found, map, &request)) {
        request.within.end = 1ull << 32;
        if (!carve_find(&found, map, &request))
            return LINUX_NO_PLACE_PARAMS;
    }
    place->boot_area = found.start;
    return LINUX_OK;
}
