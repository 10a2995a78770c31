/*
 * The other CPUs while the firmware owns them: EFI_MP_SERVICES_PROTOCOL has them call us. An INIT of ours would take
 * them from the firmware, which waits for each of them at ExitBootServices.
 */
#ifndef BOOT_EFI_CPUS_H
#define BOOT_EFI_CPUS_H

#include "boot/acpi/madt.h"
#include "boot/aps.h"
#include "boot/efi/context.h"

/* The CPUs that the firmware has, the first one first. NULL: done; else why they cannot all be ours. Firmware without
 * the protocol has one CPU: then cpus->nr is 0, and ACPI's list counts. */
const char *cpus_list(struct madt_cpus *cpus);

/* Have each of the other CPUs check itself, and log the results. cr3: our page tables, with the identity map; pt: as in
 * struct aps_request. false: at least one has not answered or has a different VMX. */
bool cpus_check(struct boot_cpu *cpus, uint16_t nr_cpus, uint64_t cr3, const struct pt_cpuid *pt);

/* Have each of the other CPUs call enter, which enters the guest: its first instruction there is efi_ap_resume. false:
 * not all of them have. */
typedef void cpus_enter_function(struct boot_cpu *cpu, const struct efi_context *context);
bool cpus_enter(cpus_enter_function *enter);

#endif
