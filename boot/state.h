/* What the steps of the boot leave for one another. One, boot/main.c's. */
#ifndef BOOT_STATE_H
#define BOOT_STATE_H

#include "base/arena.h"
#include "boot/acpi/acpi.h"
#include "boot/aps.h"
#include "boot/channel/channel.h"
#include "boot/guest/guest.h"
#include "boot/options/options.h"
#include "boot/vtd/vtd_found.h"
#include "pt/caps.h"

struct boot_state {
    struct mb2_info info;
    struct options options;
    struct guest guest;
    struct acpi_facts acpi;
    struct pt_cpuid cpuid; /* the first CPU's */
    enum pt_refusal refusal;
    struct pt_setup setup; /* all zero: no tracing */
    const char *no_vmx;    /* why we cannot be a hypervisor; NULL: we can */
    const char *no_pt;     /* why there is no tracing; NULL: there is */
    uint16_t nr_cpus;      /* those that will be ours; 1 without a hypervisor */
    struct boot_cpu *cpus;
    struct range carved;
    struct arena arena;
    uint32_t nr_ept_pages;
    uint64_t cr3, image_pa;
    unsigned nr_remapping_stuck; /* units that remap DMA still: boot/vtd/remapping.h */
    bool remaps;                 /* they are on, by our tables: boot/vtd/protect.h */
    const char *no_vtd;          /* why they are not to be, or have come not to be; NULL: they are to be, or are */
    char vtd_text[96];           /* where that is made of more than words */
    enum vtd_found vtd;
    struct channel channel;
};

#endif
