/*
 * A generic address structure, which names a register in ACPI tables.
 *
 * Source: ACPI Specification 6.5, section 5.2.3.2 "Generic Address Structure".
 */
#ifndef BOOT_ACPI_GAS_H
#define BOOT_ACPI_GAS_H

enum gas_field { GAS_SPACE = 0, GAS_WIDTH = 1, GAS_ACCESS = 3, GAS_ADDRESS = 4, GAS_SIZE = 12 };
enum gas_space { GAS_SPACE_MEMORY = 0, GAS_SPACE_IO = 1 };
#define GAS_ACCESS_DWORD 3u

#endif
