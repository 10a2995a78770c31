/* What the steps of the boot pass on to each other. There is one, owned by boot/main.c; only the first CPU uses it. */
#ifndef BOOT_STATE_H
#define BOOT_STATE_H

#include "base/arena.h"
#include "boot/acpi/acpi.h"
#include "boot/aps.h"
#include "boot/channel/channel.h"
#include "boot/guest/guest.h"
#include "boot/options/options.h"
#include "boot/vtd/protect.h"
#include "boot/x2apic.h"
#include "pt/caps.h"

struct boot_state {
    struct boot_info info;
    struct options options;
    struct guest guest;
    struct acpi_facts acpi;
    bool firmware_runs;             /* started as an EFI application: the firmware is a part of the guest */
    uint64_t image_handle;          /* ... whose handle this is */
    struct madt_cpus firmware_cpus; /* the firmware's own list; nr is 0: ACPI's counts */
    struct pt_cpuid cpuid;          /* of the first CPU */
    enum pt_refusal refusal;
    struct pt_setup setup;        /* all zero: no tracing */
    const char *no_vmx;           /* why we cannot run as a hypervisor; NULL: we can */
    const char *no_pt;            /* why there is no tracing; NULL: there is */
    uint16_t nr_cpus;             /* CPUs that we take over; 1 without a hypervisor */
    enum x2apic_hold x2apic_hold; /* why the guest needs VT-d; X2APIC_FREE: it does not, or there is none */
    bool leaves_x2apic;           /* each CPU leaves x2APIC mode before it enters the guest */
    bool filters_vtd;             /* the guest has VT-d for interrupts only: vtd/dmar_guest.h */
    struct boot_cpu *cpus;
    struct memory_map places; /* of the memory, only what is free now is usable (boot/guest/efi_map.h) */
    struct range carved;      /* our memory, and arena allocates from it */
    struct arena arena;
    uint32_t nr_ept_pages;
    uint64_t cr3, image_pa;
    struct vtd_state vtd;
    struct channel channel;
};

/* What boot/vtd/ needs to know, as far as it is known so far. */
static inline struct vtd_request boot_vtd_request(struct boot_state *boot)
{
    return (struct vtd_request){.option = boot->options.vtd,
                                .selftest = boot->options.selftest,
                                .no_vmx = boot->no_vmx,
                                .guest_needs_it = boot->x2apic_hold != X2APIC_FREE,
                                .channel_option = boot->options.channel,
                                .dmar = &boot->acpi.dmar,
                                .map = &boot->info.map,
                                .address_bits = boot->cpuid.leaf80000008_eax & 0xff,
                                .carved = boot->carved,
                                .arena = &boot->arena,
                                .channel = &boot->channel};
}

#endif
