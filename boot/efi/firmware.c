/* Kind: shell, init */
#include "boot/efi/firmware.h"

#include <string.h>

#include "base/bytes.h"
#include "base/init.h"
#include "base/msr.h"
#include "base/phys.h"
#include "boot/efi/gate.h"
#include "boot/memory/image.h"

/* Set once, by firmware_set. */
static struct {
    uint64_t low_pa, area_pa, system_table_pa, pat, gs_base;
} firmware;

void firmware_set(uint64_t low_pa, uint64_t system_table_pa)
{
    firmware.low_pa = low_pa;
    firmware.system_table_pa = system_table_pa;
    firmware.area_pa = firmware_low_pa(efi_area);
    firmware.pat = msr_read(IA32_PAT);
    firmware.gs_base = msr_read(IA32_GS_BASE);
    msr_write(IA32_GS_BASE, 0);
}

uint64_t firmware_pat(void)
{
    return firmware.pat;
}

uint64_t firmware_gs_base(void)
{
    return firmware.gs_base;
}

uint64_t firmware_low_pa(const void *image_address)
{
    return firmware.low_pa + (uint64_t)((const char *)image_address - image_start);
}

struct efi_area *firmware_area(void)
{
    return phys_to_virt(firmware.area_pa);
}

uint64_t firmware_pa(const void *memory)
{
    return virt_to_phys(memory);
}

/* What root mode and the firmware set differently and the gate does not switch. */
static void msrs_of_firmware(void)
{
    msr_write(IA32_PAT, firmware.pat);
    msr_write(IA32_GS_BASE, firmware.gs_base);
}

uint64_t firmware_call_with(uint64_t function, const uint64_t *arguments, unsigned nr)
{
    struct efi_area *area = firmware_area();
    const uint64_t pat = msr_read(IA32_PAT);
    efi_gate_function *gate = (efi_gate_function *)(uintptr_t)firmware_low_pa(efi_gate);

    area->function = function;
    memset(area->arguments, 0, sizeof area->arguments);
    memcpy(area->arguments, arguments, nr * sizeof arguments[0]);
    msrs_of_firmware();
    const uint64_t status = gate(firmware.area_pa);
    msr_write(IA32_PAT, pat);
    msr_write(IA32_GS_BASE, 0);
    return status;
}

uint8_t *firmware_boot_services(void)
{
    const uint8_t *table = phys_to_virt(firmware.system_table_pa);

    return phys_to_virt(read64(table + SYSTEM_TABLE_BOOT_SERVICES));
}

uint64_t firmware_service(enum efi_boot_service service)
{
    return read64(firmware_boot_services() + service);
}

/* A GUID and a result are passed in the area, which the firmware can access. */
static uint64_t guid_pa(const struct efi_guid *guid)
{
    struct efi_area *area = firmware_area();

    memcpy(area->guid, guid, sizeof *guid);
    return firmware_pa(area->guid);
}

uint64_t firmware_protocol(const struct efi_guid *guid)
{
    struct efi_area *area = firmware_area();

    area->result = 0;
    return firmware_boot(BOOT_LOCATE_PROTOCOL, guid_pa(guid), 0, firmware_pa(&area->result)) ? 0 : area->result;
}

uint64_t firmware_handle_protocol(uint64_t handle, const struct efi_guid *guid)
{
    struct efi_area *area = firmware_area();

    area->result = 0;
    return firmware_boot(BOOT_HANDLE_PROTOCOL, handle, guid_pa(guid), firmware_pa(&area->result)) ? 0 : area->result;
}

uint64_t firmware_configuration_table(const struct efi_guid *guid)
{
    const uint8_t *system = phys_to_virt(firmware.system_table_pa);
    const uint8_t *entry = phys_to_virt(read64(system + SYSTEM_TABLE_TABLES));

    for (uint64_t nr = read64(system + SYSTEM_TABLE_NR_TABLES); nr > 0; nr--, entry += CONFIGURATION_TABLE_SIZE)
        if (memcmp(entry, guid, sizeof *guid) == 0)
            return read64(entry + CONFIGURATION_TABLE_POINTER);
    return 0;
}

_Noreturn void firmware_leave(uint64_t status)
{
    efi_leave_function *leave = (efi_leave_function *)(uintptr_t)firmware_low_pa(efi_leave);

    msrs_of_firmware();
    leave(firmware.area_pa, status);
    __builtin_unreachable();
}
