/* Kind: core, init */
#include "boot/mb2.h"

#include <string.h>

#include "base/bytes.h"

#define MB2_FIXED_SIZE 8u /* total_size, reserved; and a tag's type, size */

enum mb2_tag_type {
    MB2_TAG_END = 0,
    MB2_TAG_LINE = 1,
    MB2_TAG_MODULE = 3,
    MB2_TAG_MMAP = 6,
    MB2_TAG_FRAMEBUFFER = 8,
    MB2_TAG_EFI64 = 12,
    MB2_TAG_RSDP_OLD = 14,
    MB2_TAG_RSDP_NEW = 15,
    MB2_TAG_EFI_MAP = 17
};

static const char *const error_texts[] = {
    [MB2_OK] = "no error",
    [MB2_BAD_SIZE] = "invalid total size",
    [MB2_TAG_TOO_SMALL] = "a tag is too small",
    [MB2_TAG_OVERRUN] = "a tag exceeds the total size",
    [MB2_NO_END] = "the end tag is missing",
    [MB2_UNTERMINATED] = "a string is not terminated",
    [MB2_BAD_MODULE] = "a module ends before it starts",
    [MB2_TOO_MANY_MODULES] = "more than 8 modules",
    [MB2_BAD_MAP] = "invalid entry size in the memory map",
    [MB2_MAP_FULL] = "more than 512 memory ranges",
    [MB2_NO_MAP] = "there is no memory map",
};

const char *mb2_error_text(enum mb2_error error)
{
    return error_texts[error];
}

/* The string at tag + offset; NULL if it is not terminated inside the tag. */
static const char *tag_string(const uint8_t *tag, uint32_t size, uint32_t offset)
{
    for (uint32_t i = offset; i < size; i++) {
        if (tag[i] == 0)
            return (const char *)tag + offset;
    }
    return NULL;
}

static enum mb2_error parse_line(struct boot_info *info, const uint8_t *tag, uint32_t size)
{
    const char *line = tag_string(tag, size, 8);
    if (!line)
        return MB2_UNTERMINATED;
    info->line = line;
    return MB2_OK;
}

static enum mb2_error parse_module(struct boot_info *info, const uint8_t *tag, uint32_t size)
{
    if (size < 17)
        return MB2_TAG_TOO_SMALL;
    if (info->nr_modules == BOOT_MAX_MODULES)
        return MB2_TOO_MANY_MODULES;
    struct boot_module *module = &info->modules[info->nr_modules];
    module->range = (struct range){read32(tag + 8), read32(tag + 12)};
    module->line = tag_string(tag, size, 16);
    if (!module->line)
        return MB2_UNTERMINATED;
    if (module->range.end < module->range.start)
        return MB2_BAD_MODULE;
    info->nr_modules++;
    return MB2_OK;
}

static enum mb2_error parse_mmap(struct boot_info *info, const uint8_t *tag, uint32_t size)
{
    if (size < 16)
        return MB2_TAG_TOO_SMALL;
    uint32_t entry_size = read32(tag + 8);
    if (entry_size < 24 || entry_size % 8 != 0)
        return MB2_BAD_MAP;
    info->map.nr = 0;
    for (uint32_t at = 16; size - at >= entry_size; at += entry_size) {
        uint64_t base = read64(tag + at);
        struct range range = {base, base + read64(tag + at + 8)};
        if (range.end < range.start) /* wraps around: clamp to the highest address */
            range.end = UINT64_MAX;
        if (!memory_map_add(&info->map, range, read32(tag + at + 16)))
            return MB2_MAP_FULL;
    }
    return MB2_OK;
}

static enum mb2_error parse_framebuffer(struct boot_info *info, const uint8_t *tag, uint32_t size)
{
    if (size < 31)
        return MB2_TAG_TOO_SMALL;
    struct boot_framebuffer *fb = &info->framebuffer;
    *fb = (struct boot_framebuffer){.pa = read64(tag + 8),
                                    .pitch = read32(tag + 16),
                                    .width = read32(tag + 20),
                                    .height = read32(tag + 24),
                                    .bpp = tag[28],
                                    .type = tag[29]};
    if (fb->type != BOOT_FRAMEBUFFER_RGB)
        return MB2_OK;
    if (size < 38)
        return MB2_TAG_TOO_SMALL;
    fb->red_pos = tag[32];
    fb->red_size = tag[33];
    fb->green_pos = tag[34];
    fb->green_size = tag[35];
    fb->blue_pos = tag[36];
    fb->blue_size = tag[37];
    return MB2_OK;
}

static enum mb2_error parse_efi_map(struct boot_info *info, const uint8_t *tag, uint32_t size)
{
    if (size < 16)
        return MB2_TAG_TOO_SMALL;
    info->efi_map = (struct boot_efi_map){tag + 16, size - 16, read32(tag + 8), read32(tag + 12)};
    return MB2_OK;
}

/* An ACPI 1.0 RSDP has 20 bytes, a later one 36; GRUB passes either or both. */
static enum mb2_error parse_rsdp(struct boot_info *info, const uint8_t *tag, uint32_t size, uint32_t rsdp_size)
{
    if (size < MB2_FIXED_SIZE + rsdp_size)
        return MB2_TAG_TOO_SMALL;
    if (rsdp_size < info->rsdp_size)
        return MB2_OK;
    memcpy(info->rsdp, tag + MB2_FIXED_SIZE, rsdp_size);
    info->rsdp_size = rsdp_size;
    return MB2_OK;
}

static enum mb2_error parse_tag(struct boot_info *info, uint32_t type, const uint8_t *tag, uint32_t size)
{
    switch (type) {
    case MB2_TAG_LINE:
        return parse_line(info, tag, size);
    case MB2_TAG_MODULE:
        return parse_module(info, tag, size);
    case MB2_TAG_MMAP:
        return parse_mmap(info, tag, size);
    case MB2_TAG_FRAMEBUFFER:
        return parse_framebuffer(info, tag, size);
    case MB2_TAG_EFI64:
        if (size < 16)
            return MB2_TAG_TOO_SMALL;
        info->efi_system_table = read64(tag + 8);
        return MB2_OK;
    case MB2_TAG_RSDP_OLD:
        return parse_rsdp(info, tag, size, 20);
    case MB2_TAG_RSDP_NEW:
        return parse_rsdp(info, tag, size, 36);
    case MB2_TAG_EFI_MAP:
        return parse_efi_map(info, tag, size);
    default: /* a boot loader may pass tags that were not requested */
        return MB2_OK;
    }
}

enum mb2_error mb2_parse(struct boot_info *info, const void *bytes, size_t limit)
{
    const uint8_t *base = bytes;
    memset(info, 0, sizeof *info);
    info->line = "";
    if (limit < 16)
        return MB2_BAD_SIZE;
    info->size = read32(base);
    if (info->size < 16 || info->size % 8 != 0 || info->size > limit)
        return MB2_BAD_SIZE;

    for (uint32_t at = MB2_FIXED_SIZE; info->size - at >= MB2_FIXED_SIZE;) {
        uint32_t type = read32(base + at), size = read32(base + at + 4);
        if (size < MB2_FIXED_SIZE)
            return MB2_TAG_TOO_SMALL;
        if (size > info->size - at)
            return MB2_TAG_OVERRUN;
        if (type == MB2_TAG_END)
            return info->map.nr > 0 ? MB2_OK : MB2_NO_MAP;
        enum mb2_error error = parse_tag(info, type, base + at, size);
        if (error)
            return error;
        at += (size + 7) & ~7u; /* stays within size, which is a multiple of 8 */
    }
    return MB2_NO_END;
}

const char *mb2_module_rest(const struct boot_module *module, const char *word)
{
    const char *line = module->line;
    while (*word && *line == *word) {
        line++;
        word++;
    }
    if (*word || (*line && *line != ' '))
        return NULL;
    while (*line == ' ')
        line++;
    return line;
}
