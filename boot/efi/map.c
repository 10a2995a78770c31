/* Kind: core, init */
#include "boot/efi/map.h"

#include "base/bytes.h"
#include "boot/efi/efi.h"

enum descriptor_field { TYPE = 0, PHYSICAL_START = 8, NUMBER_OF_PAGES = 24, ATTRIBUTE = 32, DESCRIPTOR_MIN_SIZE = 40 };
#define EFI_MEMORY_SP (1ull << 18) /* for a specific purpose, which drivers of the guest decide */

/* UEFI Specification 2.10, table "Memory Type Usage after ExitBootServices()". */
static uint32_t type_for_os(uint32_t efi_type)
{
    switch (efi_type) {
    case EFI_LOADER_CODE:
    case EFI_LOADER_DATA:
    case EFI_BOOT_SERVICES_CODE:
    case EFI_BOOT_SERVICES_DATA:
    case EFI_CONVENTIONAL_MEMORY:
        return MEMORY_USABLE;
    case EFI_UNUSABLE_MEMORY:
        return MEMORY_BAD;
    case EFI_ACPI_RECLAIM_MEMORY:
        return MEMORY_ACPI;
    case EFI_ACPI_MEMORY_NVS:
        return MEMORY_NVS;
    default:
        return MEMORY_RESERVED;
    }
}

static bool is_free(const uint8_t *descriptor)
{
    return read32(descriptor + TYPE) == EFI_CONVENTIONAL_MEMORY && !(read64(descriptor + ATTRIBUTE) & EFI_MEMORY_SP);
}

bool map_of_efi(struct memory_map *all, struct memory_map *places, const struct boot_efi_map *efi)
{
    all->nr = places->nr = 0;
    if (!efi->bytes || efi->descriptor_size < DESCRIPTOR_MIN_SIZE)
        return false;
    for (uint32_t at = 0; efi->size - at >= efi->descriptor_size; at += efi->descriptor_size) {
        const uint8_t *descriptor = efi->bytes + at;
        const uint32_t type = type_for_os(read32(descriptor + TYPE));
        const uint64_t start = read64(descriptor + PHYSICAL_START);
        const struct range range = {start, start + read64(descriptor + NUMBER_OF_PAGES) * EFI_PAGE_SIZE};

        if (!memory_map_add(all, range, type))
            return false;
        if ((type != MEMORY_USABLE || is_free(descriptor)) && !memory_map_add(places, range, type))
            return false;
    }
    return all->nr > 0;
}
