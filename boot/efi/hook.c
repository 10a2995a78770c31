/* Kind: shell, init */
#include "boot/efi/hook.h"

#include "base/bytes.h"
#include "boot/efi/firmware.h"

#define JMP_TO_NEXT_QUADWORD 0x25ff /* JMP [RIP + 0]; a doubleword of 0 follows */

uint64_t hook_pa(void)
{
    return firmware_pa(firmware_area()->hook);
}

void hook_exit_boot_services(void)
{
    uint8_t *table = firmware_boot_services(), *hook = firmware_area()->hook;
    struct efi_area *area = firmware_area();

    put16(hook, JMP_TO_NEXT_QUADWORD);
    put32(hook + 2, 0);
    put64(hook + 6, firmware_service(BOOT_EXIT_BOOT_SERVICES));
    put64(table + BOOT_EXIT_BOOT_SERVICES, hook_pa());
    put32(table + HEADER_CRC32, 0);
    area->words[0] = 0;
    firmware_boot(BOOT_CALCULATE_CRC32, firmware_pa(table), read32(table + HEADER_SIZE), firmware_pa(&area->words[0]));
    put32(table + HEADER_CRC32, (uint32_t)area->words[0]);
}
