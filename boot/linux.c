#include "boot/linux.h"

#include <string.h>

#include "boot/bytes.h"

/* Offsets in the kernel file and in boot_params alike: the setup header stands at 1F1H in both. */
enum setup_header {
    SETUP_HEADER = 0x1f1,
    SETUP_SECTS = 0x1f1,
    SYSSIZE = 0x1f4, /* in units of 16 bytes */
    VID_MODE = 0x1fa,
    BOOT_FLAG = 0x1fe,
    JUMP_OFFSET = 0x201, /* the header ends at 202H + this byte */
    HEADER_MAGIC = 0x202,
    PROTOCOL_VERSION = 0x206,
    KERNEL_VERSION = 0x20e,
    TYPE_OF_LOADER = 0x210,
    LOADFLAGS = 0x211,
    CODE32_START = 0x214,
    RAMDISK_IMAGE = 0x218,
    RAMDISK_SIZE = 0x21c,
    CMD_LINE_PTR = 0x228,
    INITRD_ADDR_MAX = 0x22c,
    KERNEL_ALIGNMENT = 0x230,
    RELOCATABLE_KERNEL = 0x234,
    CMDLINE_SIZE = 0x238,
    SETUP_DATA = 0x250,
    PREF_ADDRESS = 0x258,
    INIT_SIZE = 0x260,
    SETUP_HEADER_MIN_END = 0x264,
    SETUP_HEADER_MAX_END = 0x290 /* boot_params has room up to here */
};

/* The rest of boot_params. */
enum zero_page {
    ORIG_VIDEO_MODE = 0x06,
    ORIG_VIDEO_COLS = 0x07,
    ORIG_VIDEO_LINES = 0x0e,
    ORIG_VIDEO_IS_VGA = 0x0f,
    ORIG_VIDEO_POINTS = 0x10,
    LFB_WIDTH = 0x12,
    LFB_HEIGHT = 0x14,
    LFB_DEPTH = 0x16,
    LFB_BASE = 0x18,
    LFB_SIZE = 0x1c,
    LFB_LINELENGTH = 0x24,
    LFB_RED_SIZE = 0x26, /* then red_pos, and the same for green, blue, reserved */
    VESA_PAGES = 0x32,
    CAPABILITIES = 0x36,
    EXT_LFB_BASE = 0x3a,
    ACPI_RSDP_ADDR = 0x70,
    E820_ENTRIES = 0x1e8,
    E820_TABLE = 0x2d0
};
_Static_assert(E820_TABLE + MEMORY_MAP_MAX * 20 <= LINUX_PARAMS_SIZE, "the E820 table fits into boot_params");

#define LOADFLAGS_LOADED_HIGH 0x01u
#define LOADFLAGS_KEEP_SEGMENTS 0x40u /* kernels before 5.8 would reload them from a GDT that we need not leave */
#define TYPE_OF_LOADER_UNDEFINED 0xffu
#define VID_MODE_NORMAL 0xffffu
#define VIDEO_TYPE_VGA_TEXT 0x01u
#define VIDEO_TYPE_VESA_LFB 0x23u
#define VIDEO_TYPE_EFI 0x70u
#define VIDEO_CAPABILITY_64BIT_BASE 0x2u

static const char *const error_texts[] = {
    [LINUX_OK] = "no error",
    [LINUX_TOO_SHORT] = "no bzImage: shorter than a setup header",
    [LINUX_NO_BOOT_FLAG] = "no bzImage: no boot flag AA55 at 1FE",
    [LINUX_NO_HDRS] = "no bzImage: no \"HdrS\" at 202",
    [LINUX_TOO_OLD] = "its boot protocol is older than 2.10 (Linux 2.6.31)",
    [LINUX_NOT_HIGH] = "a zImage, which loads below 1 MiB; a bzImage is needed",
    [LINUX_TRUNCATED] = "the file ends before the kernel does",
    [LINUX_BAD_HEADER] = "its setup header asks for an impossible alignment or size",
    [LINUX_LINE_TOO_LONG] = "its command line is longer than it takes",
    [LINUX_NO_PLACE_KERNEL] = "too little memory: no place for the kernel",
    [LINUX_NO_PLACE_INITRD] = "too little memory: no place for the initrd",
    [LINUX_NO_PLACE_PARAMS] = "too little memory: no place for the boot parameters",
};

const char *linux_error_text(enum linux_error error)
{
    return error_texts[error];
}

/* kernel_version is an offset, less 200H, of a string in the setup code. */
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

    uint32_t setup_sects = file[SETUP_SECTS] ? file[SETUP_SECTS] : 4; /* 0 means 4, says the protocol */
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
    /* syssize counts in 16 bytes: the last of them may be cut short. */
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

/* pref_address if it is free; a relocatable kernel may go elsewhere. */
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

/* Where it is, if nothing comes there and it may be there; else below initrd_addr_max, clear of the kernel's file,
 * which has not been copied yet. */
static bool place_initrd(uint64_t *out, const struct linux_kernel *kernel, const struct memory_map *map,
                         const struct linux_sources *sources, struct range kernel_place)
{
    const struct range avoid[] = {sources->ours, kernel_place, sources->kernel};
    uint64_t end = (uint64_t)kernel->initrd_addr_max + 1;
    struct range stay = sources->initrd;
    if (stay.start % 4096 == 0 && stay.end <= end && memory_range_free(map, stay, avoid, 2)) {
        *out = stay.start;
        return true;
    }
    struct carve_request request = {
        .size = stay.end - stay.start, .align = 4096, .within = {0x100000, end}, .avoid = avoid, .nr_avoid = 3};
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

    /* Conventional memory is where loaders put it; else anywhere. Page 0 belongs to the BIOS. */
    const struct range avoid[] = {sources->ours, place->kernel, {place->initrd, place->initrd + initrd_size}};
    struct carve_request request = {
        .size = LINUX_BOOT_AREA_SIZE, .align = 4096, .within = {0x1000, 0xa0000}, .avoid = avoid, .nr_avoid = 3};
    struct range found;
    if (!carve_find(&found, map, &request)) {
        request.within.end = 1ull << 32;
        if (!carve_find(&found, map, &request))
            return LINUX_NO_PLACE_PARAMS;
    }
    place->boot_area = found.start;
    return LINUX_OK;
}

static void put_screen_text(uint8_t *params, const struct mb2_framebuffer *fb)
{
    params[ORIG_VIDEO_MODE] = 3;
    params[ORIG_VIDEO_COLS] = (uint8_t)fb->width;
    params[ORIG_VIDEO_LINES] = (uint8_t)fb->height;
    params[ORIG_VIDEO_IS_VGA] = VIDEO_TYPE_VGA_TEXT;
    put16(params + ORIG_VIDEO_POINTS, 16);
}

static void put_screen_pixels(uint8_t *params, const struct mb2_framebuffer *fb, bool efi)
{
    uint64_t size = (uint64_t)fb->pitch * fb->height;
    uint8_t used = (uint8_t)(fb->red_size + fb->green_size + fb->blue_size);
    const uint8_t colors[] = {fb->red_size,
                              fb->red_pos,
                              fb->green_size,
                              fb->green_pos,
                              fb->blue_size,
                              fb->blue_pos,
                              (uint8_t)(fb->bpp - used),
                              used};
    params[ORIG_VIDEO_IS_VGA] = efi ? VIDEO_TYPE_EFI : VIDEO_TYPE_VESA_LFB;
    put16(params + LFB_WIDTH, (uint16_t)fb->width);
    put16(params + LFB_HEIGHT, (uint16_t)fb->height);
    put16(params + LFB_DEPTH, fb->bpp);
    put32(params + LFB_BASE, (uint32_t)fb->pa);
    put32(params + LFB_SIZE, (uint32_t)(efi ? size : (size + 0xffff) >> 16)); /* VESA counts in 64 KiB */
    put16(params + LFB_LINELENGTH, (uint16_t)fb->pitch);
    memcpy(params + LFB_RED_SIZE, colors, sizeof colors);
    put16(params + VESA_PAGES, 1);
    if (fb->pa >> 32) {
        put32(params + CAPABILITIES, VIDEO_CAPABILITY_64BIT_BASE);
        put32(params + EXT_LFB_BASE, (uint32_t)(fb->pa >> 32));
    }
}

static void put_e820(uint8_t *params, const struct memory_map *map)
{
    params[E820_ENTRIES] = (uint8_t)map->nr;
    for (uint32_t i = 0; i < map->nr; i++) {
        uint8_t *entry = params + E820_TABLE + i * 20;
        put64(entry, map->ranges[i].range.start);
        put64(entry + 8, map->ranges[i].range.end - map->ranges[i].range.start);
        put32(entry + 16, map->ranges[i].type);
    }
}

void linux_params_build(uint8_t *params, const struct linux_kernel *kernel, const struct linux_place *place,
                        const struct linux_facts *facts)
{
    memset(params, 0, LINUX_PARAMS_SIZE);
    uint32_t end = HEADER_MAGIC + kernel->file[JUMP_OFFSET];
    if (end < SETUP_HEADER_MIN_END)
        end = SETUP_HEADER_MIN_END;
    if (end > SETUP_HEADER_MAX_END)
        end = SETUP_HEADER_MAX_END;
    if (end > kernel->code_offset)
        end = kernel->code_offset;
    memcpy(params + SETUP_HEADER, kernel->file + SETUP_HEADER, end - SETUP_HEADER);

    params[TYPE_OF_LOADER] = TYPE_OF_LOADER_UNDEFINED;
    params[LOADFLAGS] |= LOADFLAGS_KEEP_SEGMENTS;
    put16(params + VID_MODE, VID_MODE_NORMAL);
    put32(params + CODE32_START, (uint32_t)place->kernel.start);
    put32(params + RAMDISK_IMAGE, (uint32_t)place->initrd);
    put32(params + RAMDISK_SIZE, (uint32_t)facts->initrd_size);
    put32(params + CMD_LINE_PTR, (uint32_t)place->boot_area + LINUX_PARAMS_SIZE);
    put64(params + SETUP_DATA, 0);
    put64(params + ACPI_RSDP_ADDR, facts->rsdp_pa);
    put_e820(params, facts->map);
    if (facts->framebuffer->pa != 0 && facts->framebuffer->type == MB2_FRAMEBUFFER_TEXT)
        put_screen_text(params, facts->framebuffer);
    else if (facts->framebuffer->pa != 0 && facts->framebuffer->type == MB2_FRAMEBUFFER_RGB)
        put_screen_pixels(params, facts->framebuffer, facts->efi);
}
