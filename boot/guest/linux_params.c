/* Kind: core, init */
/* Building boot_params. VISIBLE: it lacks what the kernel's real-mode code would query from the BIOS. */
#include "boot/guest/linux.h"

#include <string.h>

#include "base/bytes.h"
#include "boot/guest/linux_fields.h"
#include "boot/memory/e820.h"

_Static_assert(E820_TABLE + LINUX_E820_MAX * E820_ENTRY_SIZE <= LINUX_PARAMS_SIZE, "E820 fits into boot_params");

#define LOADFLAGS_KEEP_SEGMENTS 0x40u /* else kernels before 5.8 reload segments, and expect a GDT */
#define TYPE_OF_LOADER_UNDEFINED 0xffu
#define VID_MODE_NORMAL 0xffffu
#define VIDEO_TYPE_VGA_TEXT 0x01u
#define VIDEO_TYPE_VESA_LFB 0x23u
#define VIDEO_TYPE_EFI 0x70u
#define VIDEO_CAPABILITY_64BIT_BASE 0x2u

static void put_screen_text(uint8_t *params, const struct boot_framebuffer *fb)
{
    params[ORIG_VIDEO_MODE] = 3;
    params[ORIG_VIDEO_COLS] = (uint8_t)fb->width;
    params[ORIG_VIDEO_LINES] = (uint8_t)fb->height;
    params[ORIG_VIDEO_IS_VGA] = VIDEO_TYPE_VGA_TEXT;
    put16(params + ORIG_VIDEO_POINTS, 16);
}

static void put_screen_pixels(uint8_t *params, const struct boot_framebuffer *fb, bool efi)
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
    put32(params + LFB_SIZE, (uint32_t)(efi ? size : (size + 0xffff) >> 16)); /* VESA: in units of 64 KiB */
    put16(params + LFB_LINELENGTH, (uint16_t)fb->pitch);
    memcpy(params + LFB_RED_SIZE, colors, sizeof colors);
    put16(params + VESA_PAGES, 1);
    if (fb->pa >> 32) {
        put32(params + CAPABILITIES, VIDEO_CAPABILITY_64BIT_BASE);
        put32(params + EXT_LFB_BASE, (uint32_t)(fb->pa >> 32));
    }
}

/* The guest needs these for UEFI's runtime services. */
static void put_efi(uint8_t *params, const struct linux_facts *facts, uint64_t map_pa)
{
    memcpy(params + EFI_LOADER_SIGNATURE, "EL64", 4);
    put32(params + EFI_SYSTAB, (uint32_t)facts->efi_system_table);
    put32(params + EFI_SYSTAB_HI, (uint32_t)(facts->efi_system_table >> 32));
    put32(params + EFI_MEMDESC_SIZE, facts->efi_descriptor_size);
    put32(params + EFI_MEMDESC_VERSION, facts->efi_descriptor_version);
    put32(params + EFI_MEMMAP, (uint32_t)map_pa);
    put32(params + EFI_MEMMAP_SIZE, facts->efi_map_size);
}

static uint32_t nr_in_params(const struct memory_map *map)
{
    return map->nr < LINUX_E820_MAX ? map->nr : LINUX_E820_MAX;
}

uint32_t linux_e820_rest_bytes(const struct memory_map *map)
{
    const uint32_t nr = map->nr - nr_in_params(map);

    return nr ? SETUP_DATA_SIZE + nr * E820_ENTRY_SIZE : 0;
}

void linux_e820_rest_build(uint8_t *out, const struct memory_map *map)
{
    const uint32_t bytes = linux_e820_rest_bytes(map);

    if (bytes == 0)
        return;
    put64(out + SETUP_DATA_NEXT, 0);
    put32(out + SETUP_DATA_TYPE, SETUP_E820_EXT);
    put32(out + SETUP_DATA_LENGTH, bytes - SETUP_DATA_SIZE);
    e820_build(out + SETUP_DATA_SIZE, map, LINUX_E820_MAX, map->nr);
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
    put64(params + SETUP_DATA, linux_e820_rest_bytes(facts->map) ? place->boot_area + facts->e820_rest : 0);
    put64(params + ACPI_RSDP_ADDR, facts->rsdp_pa);
    params[E820_ENTRIES] = (uint8_t)nr_in_params(facts->map);
    e820_build(params + E820_TABLE, facts->map, 0, nr_in_params(facts->map));
    if (facts->efi_system_table)
        put_efi(params, facts, place->boot_area + LINUX_BOOT_AREA_SIZE);
    if (facts->framebuffer->pa != 0 && facts->framebuffer->type == BOOT_FRAMEBUFFER_TEXT)
        put_screen_text(params, facts->framebuffer);
    else if (facts->framebuffer->pa != 0 && facts->framebuffer->type == BOOT_FRAMEBUFFER_RGB)
        put_screen_pixels(params, facts->framebuffer, facts->efi);
}
