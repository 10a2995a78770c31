/*
 * Calling the firmware, before the guest starts. Addresses that go to the firmware or come from it are physical.
 * Statuses are EFI_STATUS: 0 is success.
 */
#ifndef BOOT_EFI_FIRMWARE_H
#define BOOT_EFI_FIRMWARE_H

#include <stdint.h>

#include "boot/efi/context.h"
#include "boot/efi/efi.h"

/* Call first. low_pa: the copy of the image that boot/efi/entry.S has made. */
void firmware_set(uint64_t low_pa, uint64_t system_table_pa);

struct efi_area *firmware_area(void);

/* The physical address of memory that firmware_area or phys_to_virt gave. */
uint64_t firmware_pa(const void *memory);

/* The physical address, in the copy, of an address of the image. */
uint64_t firmware_low_pa(const void *image_address);

/* Call the function at this physical address, in the firmware's state, with interrupts as it had them. */
uint64_t firmware_call_with(uint64_t function, const uint64_t *arguments, unsigned nr);
#define firmware_call(function, ...)                                                                                   \
    firmware_call_with(function, (const uint64_t[]){__VA_ARGS__},                                                      \
                       sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The table of the boot services, and a function in it. */
uint8_t *firmware_boot_services(void);
uint64_t firmware_service(enum efi_boot_service service);
#define firmware_boot(service, ...) firmware_call(firmware_service(service), __VA_ARGS__)

/* The first interface of a protocol, or that of a handle; 0: there is none. */
uint64_t firmware_protocol(const struct efi_guid *guid);
uint64_t firmware_handle_protocol(uint64_t handle, const struct efi_guid *guid);

/* The table of this kind; 0: there is none. */
uint64_t firmware_configuration_table(const struct efi_guid *guid);

/* Return from our entry point with this status. */
_Noreturn void firmware_leave(uint64_t status);

/* The firmware's value of IA32_PAT and IA32_GS_BASE, which root mode changes, on the first CPU. */
uint64_t firmware_pat(void);
uint64_t firmware_gs_base(void);

#endif
