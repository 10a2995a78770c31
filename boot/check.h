/* The first steps of the boot: what we are told, and what this machine lets us do. Shell. */
#ifndef BOOT_CHECK_H
#define BOOT_CHECK_H

#include "boot/state.h"

/* The boot loader's information and our options. What is wrong with them is the end, with a message. */
void check_boot_loader(struct boot_state *boot, uint32_t magic, uint32_t info_pa);

/* ACPI, the first CPU's VMX and Intel PT, the number of CPUs. What is missing does not stop the guest: a line says so,
 * and no_vmx or no_pt why. */
void check_machine(struct boot_state *boot);

/* An option that this CPU cannot follow is an error of who gave it, and said before anything else happens. */
void check_options(const struct boot_state *boot);

/* The guest boots without a hypervisor: a line says why. */
void check_refuse_vmx(struct boot_state *boot, const char *why);

/* What is mapped: the lower 4 GiB. */
extern const struct acpi_memory check_acpi_memory;

#endif
