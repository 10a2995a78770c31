/* Kind: core, init */
#include "boot/guest/disk.h"

#include <stdbool.h>

#define SIGNATURE_OFFSET 510u
#define NR_DRIVES 128u

static const char *const error_texts[] = {
    [DISK_OK] = "no error",
    [DISK_NO_DRIVE_NAME] = "expected \"disk hdN\", with N from 0 to 127 as GRUB counts the BIOS's hard disks",
    [DISK_NOT_A_SECTOR] = "a boot sector has 512 bytes: expected \"module2 (hdN)+1 disk hdN\"",
    [DISK_NO_SIGNATURE] = "the sector does not end in 55H AAH, so a BIOS would not boot it",
};

const char *disk_error_text(enum disk_error error)
{
    return error_texts[error];
}

static bool parse_drive(uint8_t *drive, const char *name)
{
    uint32_t number = 0;

    if (name[0] == 0) {
        *drive = DISK_DRIVE_FIRST;
        return true;
    }
    if (name[0] != 'h' || name[1] != 'd' || name[2] == 0)
        return false;
    for (const char *digit = name + 2; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return false;
        number = number * 10 + (uint32_t)(*digit - '0');
        if (number >= NR_DRIVES)
            return false;
    }
    *drive = (uint8_t)(DISK_DRIVE_FIRST + number);
    return true;
}

enum disk_error disk_check(uint8_t *drive, const char *name, const uint8_t *sector, uint64_t size)
{
    if (!parse_drive(drive, name))
        return DISK_NO_DRIVE_NAME;
    if (size != DISK_SECTOR_SIZE)
        return DISK_NOT_A_SECTOR;
    if (sector[SIGNATURE_OFFSET] != 0x55 || sector[SIGNATURE_OFFSET + 1] != 0xaa)
        return DISK_NO_SIGNATURE;
    return DISK_OK;
}
