/* Kind: shell, init */
/* Source: UEFI Specification 2.10, 7.3.13 "EFI_BOOT_SERVICES.DisconnectController()", 14.4 "EFI PCI I/O Protocol". */
#include "boot/efi/card.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/log.h"
#include "base/phys.h"
#include "boot/efi/firmware.h"

static bool is_at(uint64_t handle, uint32_t sbdf)
{
    struct efi_area *area = firmware_area();
    const uint64_t pci = firmware_handle_protocol(handle, &EFI_PCI_IO);

    if (!pci)
        return false;
    const uint64_t get_location = read64((const uint8_t *)phys_to_virt(pci) + PCI_IO_GET_LOCATION);
    if (firmware_call(get_location, pci, firmware_pa(&area->words[0]), firmware_pa(&area->words[1]),
                      firmware_pa(&area->words[2]), firmware_pa(&area->words[3])))
        return false;
    return sbdf == (area->words[0] << 16 | area->words[1] << 8 | area->words[2] << 3 | area->words[3]);
}

void card_claim(uint32_t sbdf)
{
    struct efi_area *area = firmware_area();

    area->size = sizeof area->buffer;
    memcpy(area->guid, &EFI_PCI_IO, sizeof area->guid);
    if (firmware_boot(BOOT_LOCATE_HANDLE, LOCATE_BY_PROTOCOL, firmware_pa(area->guid), 0, firmware_pa(&area->size),
                      firmware_pa(area->buffer)))
        return;
    const uint64_t nr = area->size / sizeof(uint64_t);
    for (uint64_t i = 0; i < nr; i++) {
        const uint64_t handle = read64(area->buffer + i * sizeof(uint64_t));
        if (!is_at(handle, sbdf))
            continue;
        const uint64_t status = firmware_boot(BOOT_DISCONNECT_CONTROLLER, handle, 0, 0);
        if (status)
            log_line("channel=net: the firmware's driver does not let go of the card (status %lx)", status);
        else
            log_line("channel=net: the firmware has no driver on the card any more");
    }
}
