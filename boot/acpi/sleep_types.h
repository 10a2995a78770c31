/*
 * The values of SLP_TYP that put the machine to sleep with its memory preserved (S1 to S3).
 *
 * The values are in AML, in the packages _S1_ to _S3_. AML is not interpreted: only constant packages of these names
 * are searched for. Source: ACPI Specification 6.5, sections 7.4.2 "_Sx Objects", 20.2 "AML Grammar".
 */
#ifndef BOOT_ACPI_SLEEP_TYPES_H
#define BOOT_ACPI_SLEEP_TYPES_H

#include <stdint.h>

/* From a DSDT or SSDT of size bytes: bit n is set if SLP_TYP n (0 to 7) is such a sleep state. */
uint8_t sleep_types_find(const uint8_t *table, uint32_t size);

#endif
