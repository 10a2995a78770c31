/*
 * Which values of SLP_TYP put the machine to sleep with its memory kept (S1 to S3), and not off. Core; only a boot uses
 * it.
 *
 * The values stand in AML, in the packages _S1_ to _S3_. AML is not interpreted: a package of that name that is written
 * down as a constant is looked for. Source: ACPI Specification 6.5, sections 7.4.2 "_Sx Objects", 20.2 "AML Grammar".
 */
#ifndef BOOT_ACPI_SLEEP_TYPES_H
#define BOOT_ACPI_SLEEP_TYPES_H

#include <stdint.h>

/* Of a DSDT or an SSDT of size bytes: bit n is set where SLP_TYP n (0 to 7) is such a sleep. */
uint8_t sleep_types_find(const uint8_t *table, uint32_t size);

#endif
