/* Kind: shell, init */
#include "boot/guest/disk_load.h"

#include <string.h>

#include "base/log.h"
#include "base/phys.h"
#include "boot/fail.h"
#include "boot/guest/disk.h"

extern const uint8_t disk_start32[], disk_start32_end[]; /* boot/guest/disk_start.S */
extern const uint8_t disk_start16[], disk_start16_end[], disk_start16_drive[];

#define BIOS_NR_DISKS_PA 0x475u /* BIOS data area: how many hard disks INT 13h has */

void disk_find(struct guest *guest, const struct boot_info *info, const struct boot_module *module, const char *name)
{
    const uint8_t nr_disks = *(const volatile uint8_t *)phys_to_virt(BIOS_NR_DISKS_PA);
    struct disk_guest *disk = &guest->disk;

    if (info->efi_system_table)
        boot_fail("disk: this machine was started by UEFI firmware, which does not run boot sectors; start "
                  "undertrace.efi before the disk's EFI loader instead (docs/efi.md)");
    const enum disk_error error =
        disk_check(&disk->drive, name, phys_to_virt(module->range.start), module->range.end - module->range.start);
    if (error)
        boot_fail("module \"%s\": %s", module->line, disk_error_text(error));
    if (disk->drive - DISK_DRIVE_FIRST >= nr_disks)
        boot_fail("disk: the BIOS has no hd%u: it reports %u hard disks", disk->drive - DISK_DRIVE_FIRST, nr_disks);
    disk->sector_pa = module->range.start;
    guest->kernel.version = "the boot sector of a BIOS disk";
}

/* VISIBLE: what enters the sector stays in memory. */
struct guest_entry disk_load(const struct guest *guest, const struct guest_machine *machine)
{
    const struct range memory = {DISK_SECTOR_PA, DISK_END_PA};
    const struct disk_guest *disk = &guest->disk;
    uint8_t *start16 = phys_to_virt(DISK_START16_PA);

    if (!memory_range_free(machine->places, memory, &machine->carved, 1))
        boot_fail("disk: the memory at %xh to %xh, where a boot sector runs, is not free", DISK_SECTOR_PA, DISK_END_PA);
    memmove(phys_to_virt(DISK_SECTOR_PA), phys_to_virt(disk->sector_pa), DISK_SECTOR_SIZE);
    memcpy(phys_to_virt(DISK_START32_PA), disk_start32, (size_t)(disk_start32_end - disk_start32));
    memcpy(start16, disk_start16, (size_t)(disk_start16_end - disk_start16));
    start16[disk_start16_drive - disk_start16] = disk->drive;
    log_line("disk: the boot sector of hd%u, the BIOS's drive %xh", disk->drive - DISK_DRIVE_FIRST, disk->drive);
    return (struct guest_entry){.eip = DISK_START32_PA, .spare_page_pa = DISK_SPARE_PA};
}
