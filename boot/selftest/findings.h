/*
 * What stands in the way of a trace on this machine, in plain words, and what to do about it. Core.
 *
 * Source: SDM Vol. 3C "Detecting and Enabling VMX" (FEATURE_CONTROL), "Detection of Intel PT", Appendix A.6; Intel VT-d
 * specification, "Global Command Register".
 */
#ifndef BOOT_SELFTEST_FINDINGS_H
#define BOOT_SELFTEST_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/channel/channel_stage.h"
#include "boot/vtd/vtd_found.h"
#include "pt/caps.h"
#include "vmx/caps.h"

/* All that the findings are made of: registers as read on the first CPU, and how far the channel came. */
struct machine_facts {
    char vendor[13];     /* CPUID.0 */
    char beneath[13];    /* CPUID.40000000H of the hypervisor that runs us, "" where none does */
    bool efi;            /* booted by UEFI firmware */
    struct vmx_caps vmx; /* the MSRs are 0 where there is no VMX */
    struct pt_cpuid pt;
    uint32_t nr_cpus, most_cpus;               /* of the machine; that can be ours */
    uint32_t nr_remapping, nr_remapping_stuck; /* units of DMA remapping that ACPI names; that do not go off */
    enum vtd_found vtd;
    const char *no_vtd; /* why a boot has them off; NULL: it has not, or nobody wants them */
    enum channel_stage channel;
    bool wire_failed; /* the channel was open, and then not all of it arrived */
};

enum finding_weight {
    FINDING_NOTE,       /* it can be traced all the same */
    FINDING_STOPS_WIRE, /* no trace leaves the machine */
    FINDING_STOPS_PT,   /* no Intel PT: single steps make the trace */
    FINDING_STOPS_VMX   /* no hypervisor can run here */
};

struct finding {
    enum finding_weight weight;
    const char *what;
    const char *detail; /* the same more exactly, or NULL */
    const char *remedy;
};

#define FINDINGS_MAX 16u

/* Returns how many there are, in the order in which to see to them. */
unsigned findings_of(struct finding findings[FINDINGS_MAX], const struct machine_facts *facts);

/* The heaviest one's weight; FINDING_NOTE where there is none. */
enum finding_weight findings_weight(const struct finding *findings, unsigned nr);

#endif
