/*
 * What prevents or limits tracing on this machine, and the remedy for each finding.
 *
 * Source: SDM Vol. 3C "Detecting and Enabling VMX" (FEATURE_CONTROL), "Detection of Intel PT", Appendix A.6; Intel VT-d
 * specification, "Global Command Register".
 */
#ifndef BOOT_SELFTEST_FINDINGS_H
#define BOOT_SELFTEST_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/channel/channel_stage.h"
#include "boot/vtd/vtd_state.h"
#include "boot/x2apic.h"
#include "pt/caps.h"
#include "vmx/caps.h"

/* Everything that the findings are derived from: registers of the first CPU, and how far opening the channel got. */
struct machine_facts {
    char vendor[13];           /* CPUID.0 */
    char outer_hypervisor[13]; /* CPUID.40000000H of the hypervisor that we run under; "" on bare metal */
    bool efi;                  /* booted by UEFI firmware */
    struct vmx_caps vmx;       /* MSRs are 0 without VMX */
    struct pt_cpuid pt;
    uint32_t nr_cpus, max_cpus;                /* of the machine; that we support */
    uint32_t nr_remapping, nr_remapping_stuck; /* remapping units in ACPI; those that cannot be switched off */
    enum vtd_outcome vtd;
    enum x2apic_hold x2apic_hold;
    bool x2apic_refused;     /* ... prevents the boot */
    const char *vtd_why_off; /* why a boot leaves VT-d off; NULL: it does not, or vtd=off */
    enum channel_stage channel;
    bool wire_failed; /* the channel was open, but not everything arrived */
};

enum finding_weight {
    FINDING_NOTE,       /* tracing works nevertheless */
    FINDING_STOPS_WIRE, /* the trace cannot be sent */
    FINDING_STOPS_PT,   /* no Intel PT; single-stepping can trace */
    FINDING_STOPS_VMX   /* our hypervisor cannot run */
};

struct finding {
    enum finding_weight weight;
    const char *what;
    const char *detail; /* the register or reason, or NULL */
    const char *remedy;
};

#define FINDINGS_MAX 16u

/* Returns the number of findings, which are in the order in which a user should deal with them. */
unsigned findings_of(struct finding findings[FINDINGS_MAX], const struct machine_facts *facts);

/* The greatest weight; FINDING_NOTE if there are no findings. */
enum finding_weight findings_weight(const struct finding *findings, unsigned nr);

#endif
