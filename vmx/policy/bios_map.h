/*
 * What the BIOS's INT 15h functions that report memory answer to a guest that was started from a BIOS disk: root's
 * memory must be a reserved range there. Core.
 *
 * Source: ACPI Specification, "INT 15H, E820H - Query System Address Map"; for the older functions the PC BIOSes'
 * common practice: E801h and E881h (memory above 1 MiB and above 16 MiB), 88h (extended memory).
 */
#ifndef VMX_POLICY_BIOS_MAP_H
#define VMX_POLICY_BIOS_MAP_H

#include <stdint.h>

#include "vmx/config.h"

/* The registers of the call, then those of the answer. */
struct bios_registers {
    uint32_t eax, ebx, ecx, edx;
};

enum bios_answer {
    BIOS_PASS,   /* another function: the BIOS answers */
    BIOS_DONE,   /* the registers are the answer, with carry clear */
    BIOS_REFUSED /* ... with carry set */
};

/* Answer INT 15h. *entry: NULL, or the VMX_E820_ENTRY_SIZE bytes that belong to ES:DI. */
enum bios_answer bios_map_call(struct bios_registers *registers, const struct vmx_bios *bios, const uint8_t **entry);

#endif
