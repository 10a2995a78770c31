/* Code and data of boot/efi/'s assembly. The functions run only in the copy of the image: boot/efi/gate.S. */
#ifndef BOOT_EFI_GATE_H
#define BOOT_EFI_GATE_H

#include <stdint.h>

typedef uint64_t efi_gate_function(uint64_t area_pa);
typedef void efi_leave_function(uint64_t area_pa, uint64_t status); /* does not return */

extern const uint8_t efi_gate[], efi_leave[], efi_resume[], efi_ap_procedure[], efi_ap_resume[];
extern const uint8_t efi_area[];

#endif
