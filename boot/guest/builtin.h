/* guest=builtin: a guest of our own in place of the modules', whose branches the receiver knows. Shell. */
#ifndef BOOT_GUEST_BUILTIN_H
#define BOOT_GUEST_BUILTIN_H

#include "boot/acpi/acpi.h"
#include "boot/guest/guest.h"

/* In place of guest_find. */
void builtin_find(struct guest *guest);

/* It is loaded at base: tell it how long to run, and how to end. soft: it is single-stepped. */
void builtin_tell(uint32_t base, const struct acpi_facts *acpi, bool soft);

#endif
