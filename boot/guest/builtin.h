/* guest=builtin: a small guest inside the image, whose branches the receiver can predict. */
#ifndef BOOT_GUEST_BUILTIN_H
#define BOOT_GUEST_BUILTIN_H

#include "boot/acpi/acpi.h"
#include "boot/guest/guest.h"

/* Call it instead of guest_find. */
void builtin_find(struct guest *guest);

/* Set the number of rounds and the final port write of the guest loaded at base. soft: it is single-stepped, so it runs
 * fewer rounds. */
void builtin_set_parameters(uint32_t base, const struct acpi_facts *acpi, bool soft);

#endif
