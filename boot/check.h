/* The first steps of the boot: the boot loader's information, the options, and what the machine supports. */
#ifndef BOOT_CHECK_H
#define BOOT_CHECK_H

#include "boot/state.h"

/* Read the boot loader's information and our options. Fails the boot if they are invalid. */
void check_boot_loader(struct boot_state *boot, uint32_t magic, uint32_t info_pa);

/* Read our options from the line in boot->info, and open the console. Fails the boot if they are invalid. */
void check_read_options(struct boot_state *boot);

/* Read ACPI, the first CPU's VMX and Intel PT, and the number of CPUs. Something missing does not stop the boot: it is
 * logged, and no_vmx or no_pt is set. */
void check_machine(struct boot_state *boot);

/* Fail the boot if the CPU does not support what an option asks for, before any of its MSRs is written. */
void check_options(const struct boot_state *boot);

/* Give up VMX, so that the guest boots without the hypervisor. Logs why. */
void check_refuse_vmx(struct boot_state *boot, const char *why);

/* Are the options such that the channel would be a network card, and does the guest need VT-d, which could block it? */
bool check_card_is_refused(const struct boot_state *boot);

/* The other CPUs have been started: what of them the first one does not show. NULL: nothing, or why the guest has to
 * boot without the hypervisor. */
const char *check_other_cpus(struct boot_state *boot);

/* The APIC id of the CPU that calls this. */
uint32_t check_own_apic_id(void);

/* ACPI tables in the lower 4 GiB. */
extern const struct acpi_memory check_acpi_memory;

#endif
