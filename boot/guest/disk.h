/*
 * A guest that is what a BIOS would boot from a disk: its first sector, at 0000:7C00h in real mode. GRUB has read the
 * sector, as a module.
 */
#ifndef BOOT_GUEST_DISK_H
#define BOOT_GUEST_DISK_H

#define DISK_SECTOR_SIZE 512u

/* Where the guest begins: conventional memory that a BIOS leaves to the boot sector. The code of
 * boot/guest/disk_start.S has a 16-bit part after the sector and a 32-bit part, which is on a page of its own: so the
 * first 16-bit code is on a page that 32-bit code has not executed (vmx/code/segments.c). Between them is a page for
 * the entry. */
#define DISK_SECTOR_PA 0x7c00u
#define DISK_START16_PA 0x7e00u
#define DISK_SPARE_PA 0x8000u
#define DISK_START32_PA 0x9000u
#define DISK_END_PA 0xa000u

#define DISK_DRIVE_FIRST 0x80u /* the BIOS's number of its first hard disk */

#ifndef __ASSEMBLER__

#include <stdint.h>

enum disk_error { DISK_OK = 0, DISK_NO_DRIVE_NAME, DISK_NOT_A_SECTOR, DISK_NO_SIGNATURE };
/* The error as a text, for a message about the module. */
const char *disk_error_text(enum disk_error error);

/* Check a module: name is GRUB's name of the disk, hd0 to hd127, or empty for hd0; sector has size bytes. *drive: the
 * BIOS's number of the disk. */
enum disk_error disk_check(uint8_t *drive, const char *name, const uint8_t *sector, uint64_t size);

#endif
#endif
