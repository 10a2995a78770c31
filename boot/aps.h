/*
 * The other CPUs (application processors): they are started one by one, checked, and wait in root mode until the
 * machine is set up.
 *
 * Source: SDM Vol. 3A, "MP Initialization Protocol Algorithm for MP Systems", "Typical AP Initialization Sequence".
 */
#ifndef BOOT_APS_H
#define BOOT_APS_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/memory/carve.h"
#include "boot/x2apic.h"
#include "pt/engine.h"

/* One CPU, including the first. The first CPU fills it in, except for the members from checked to x2apic, pong and tsc.
 */
struct boot_cpu {
    uint32_t apic_id;
    uint16_t number;     /* 0: the one that the firmware has started */
    bool checked;        /* atomic: set by the CPU itself once it has set the next four */
    const char *no_vmx;  /* how its VMX differs from the first CPU's, or NULL */
    uint32_t leaf14_ecx; /* CPUID.14H:ECX; 0: not read */
    const char *no_pt;   /* why it is not traced although the first CPU is, or NULL */
    struct x2apic_facts x2apic;
    uint32_t ping, pong; /* atomic: the first CPU's last request for its TSC; the last one that it answered */
    uint64_t tsc;        /* the answer, set before pong */

    void *descriptors; /* GDT_CPU_SIZE */
    uint8_t *stack_top;
    struct pt_region_memory regions;
    uint8_t *pt_memory; /* PT_ENGINE_SIZE */
    struct pt_engine *pt;
    void *vmx_memory; /* vmx_cpu_size */
};

struct aps_request {
    struct boot_cpu *cpus; /* cpus[0] is the caller */
    uint16_t nr_cpus;
    uint64_t cr3;                 /* our page tables, below 4 GiB, with the identity map */
    const struct memory_map *map; /* a page below 1 MiB is used temporarily */
    const struct pt_cpuid *pt;    /* the first CPU's; NULL: no CPU will be traced by its own PT */
};

/* Start all CPUs except the first, and log a line about each. false: at least one has not answered or has a different
 * VMX. Those that have answered wait in root mode with interrupts off. */
bool aps_start(const struct aps_request *request);

/* Return them by INIT to the state in which firmware left them: waiting for a SIPI, without any code of ours. */
void aps_reset(const struct boot_cpu *cpus, uint16_t nr_cpus);

/* The checks of one of the other CPUs, on which it runs: fills in the members from checked to x2apic. pt: as in struct
 * aps_request. */
void aps_check_here(struct boot_cpu *cpu, const struct pt_cpuid *pt);

/* Log that the CPU is ours, or why it is not; NULL: it is. Returns whether it is. */
bool aps_log(const struct boot_cpu *cpu, const char *why);

/* All waiting CPUs call run, at the same time. The identity map has been removed by then. run must not return. */
typedef void aps_run(struct boot_cpu *cpu);
void aps_release(aps_run *run);

#endif
