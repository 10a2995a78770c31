/* Kind: shell, init */
#include "boot/efi/gather.h"

#include <string.h>

#include "base/bytes.h"
#include "base/phys.h"
#include "boot/efi/firmware.h"
#include "boot/efi/map.h"

#define RSDP_10_SIZE 20u
#define RSDP_20_SIZE 36u

/* --- the command line ------------------------------------------------------------------------------------------------
 */

static bool ends_in_efi(const char *word, uint32_t size)
{
    return size >= 4 && word[size - 4] == '.' && (word[size - 3] | 0x20) == 'e' && (word[size - 2] | 0x20) == 'f' &&
           (word[size - 1] | 0x20) == 'i';
}

static void drop_own_name(char *line)
{
    uint32_t word = 0;

    while (line[word] && line[word] != ' ')
        word++;
    if (!ends_in_efi(line, word))
        return;
    while (line[word] == ' ')
        word++;
    memmove(line, line + word, strlen(line + word) + 1);
}

/* UCS-2, with or without a NUL at the end. */
static void line_of_ucs2(char *line, uint32_t size, const uint8_t *text, uint32_t bytes)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i + 2 <= bytes && used + 1 < size; i += 2) {
        const uint16_t c = read16(text + i);
        if (c == 0)
            break;
        line[used++] = c < 0x20 ? ' ' : c < 0x7f ? (char)c : '?';
    }
    line[used] = 0;
}

void gather_line(char *line, uint32_t size, uint64_t image_handle)
{
    const uint64_t interface = firmware_handle_protocol(image_handle, &EFI_LOADED_IMAGE);

    line[0] = 0;
    if (!interface)
        return;
    const uint8_t *image = phys_to_virt(interface);
    if (read64(image + LOADED_IMAGE_OPTIONS) == 0)
        return;
    line_of_ucs2(line, size, phys_to_virt(read64(image + LOADED_IMAGE_OPTIONS)),
                 read32(image + LOADED_IMAGE_OPTIONS_SIZE));
    drop_own_name(line);
}

/* --- the screen and ACPI ---------------------------------------------------------------------------------------------
 */

void gather_screen(struct boot_framebuffer *framebuffer)
{
    const uint64_t interface = firmware_protocol(&EFI_GRAPHICS_OUTPUT);

    *framebuffer = (struct boot_framebuffer){0};
    if (!interface)
        return;
    const uint8_t *graphics = phys_to_virt(interface);
    const uint8_t *mode = phys_to_virt(read64(graphics + GRAPHICS_MODE));
    const uint8_t *information = phys_to_virt(read64(mode + MODE_INFORMATION));
    const uint32_t format = read32(information + INFORMATION_FORMAT);
    if (format != PIXELS_RGB && format != PIXELS_BGR)
        return;
    *framebuffer = (struct boot_framebuffer){.pa = read64(mode + MODE_FRAMEBUFFER),
                                             .pitch = 4 * read32(information + INFORMATION_PITCH),
                                             .width = read32(information + INFORMATION_WIDTH),
                                             .height = read32(information + INFORMATION_HEIGHT),
                                             .bpp = 32,
                                             .type = BOOT_FRAMEBUFFER_RGB,
                                             .red_pos = format == PIXELS_RGB ? 0 : 16,
                                             .red_size = 8,
                                             .green_pos = 8,
                                             .green_size = 8,
                                             .blue_pos = format == PIXELS_RGB ? 16 : 0,
                                             .blue_size = 8};
}

void gather_rsdp(struct boot_info *info)
{
    uint64_t rsdp = firmware_configuration_table(&EFI_ACPI_20_TABLE);

    info->rsdp_size = rsdp ? RSDP_20_SIZE : RSDP_10_SIZE;
    if (!rsdp)
        rsdp = firmware_configuration_table(&EFI_ACPI_10_TABLE);
    if (!rsdp)
        info->rsdp_size = 0;
    else
        memcpy(info->rsdp, phys_to_virt(rsdp), info->rsdp_size);
}

/* --- the memory map --------------------------------------------------------------------------------------------------
 */

const char *gather_map(struct boot_info *info, struct memory_map *places)
{
    struct efi_area *area = firmware_area();

    area->size = sizeof area->buffer;
    area->words[0] = area->words[1] = area->words[2] = 0;
    const uint64_t status =
        firmware_boot(BOOT_GET_MEMORY_MAP, firmware_pa(&area->size), firmware_pa(area->buffer),
                      firmware_pa(&area->words[0]), firmware_pa(&area->words[1]), firmware_pa(&area->words[2]));
    if (status)
        return "the firmware does not return its memory map, or it is larger than 60 KiB";
    const struct boot_efi_map efi = {.bytes = area->buffer,
                                     .size = (uint32_t)area->size,
                                     .descriptor_size = (uint32_t)area->words[1],
                                     .descriptor_version = (uint32_t)area->words[2]};
    return map_of_efi(&info->map, places, &efi) ? NULL : "the firmware's memory map is invalid or has over 512 ranges";
}
