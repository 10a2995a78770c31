/*
 * selftest=on, the second entry of the image's menu: can this machine be traced, and does its channel deliver the
 * trace? The answers go to the console and to the receiver; no guest is started.
 */
#ifndef BOOT_SELFTEST_SELFTEST_H
#define BOOT_SELFTEST_SELFTEST_H

#include "boot/channel/channel.h"
#include "boot/vtd/protect.h"
#include "boot/x2apic.h"
#include "pt/caps.h"

struct selftest {
    bool efi;           /* booted by UEFI firmware */
    const char *no_vmx; /* why we cannot run as a hypervisor; NULL: we can */
    const struct pt_options *options;
    const struct pt_cpuid *cpuid; /* the CPU's own, not those of soft PT */
    uint32_t nr_cpus;             /* as ACPI lists them; 0: it lists none */
    enum x2apic_hold x2apic_hold;
    bool x2apic_refused; /* ... prevents a boot with these options */
    const struct channel *channel;
    struct vtd_state *vtd;
    const struct vtd_request *vtd_request;
    uint8_t *memory; /* SELFTEST_WIRE_BYTES (boot/selftest/selftest_wire.h), page-aligned */
};

/* Run it after the channel has been opened, with the other CPUs not started. */
_Noreturn void selftest_run(const struct selftest *selftest);

#endif
