/*
 * The other CPUs (application processors): started one by one, checked, and held in root mode until all of the machine
 * is ready for them. Shell.
 *
 * Source: SDM Vol. 3A, "MP Initialization Protocol Algorithm for MP Systems", "Typical AP Initialization Sequence".
 */
#ifndef BOOT_APS_H
#define BOOT_APS_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/memory/carve.h"
#include "pt/engine.h"

/* One CPU, the first included: what it is, and its memory. The lines of a CPU that is refused end with no_vmx. */
struct boot_cpu {
    uint32_t apic_id;
    uint16_t number;     /* 0: the one that the firmware starts */
    bool checked;        /* it has come to C and found out the next three */
    const char *no_vmx;  /* how its VMX differs from the first CPU's; NULL: it does not */
    uint32_t leaf14_ecx; /* CPUID.14H:ECX; 0: it was not looked at */
    const char *no_pt;   /* why it is not traced although the first CPU is; NULL: it is, or none is */

    void *descriptors; /* GDT_CPU_SIZE */
    uint8_t *stack_top;
    struct pt_region_memory regions;
    uint8_t *pt_memory; /* PT_ENGINE_SIZE */
    struct pt_engine *pt;
    void *vmx_memory; /* vmx_cpu_size */
};

struct aps_request {
    struct boot_cpu *cpus; /* cpus[0] is this one */
    uint16_t nr_cpus;
    uint64_t cr3;                 /* root's tables, below 4 GiB, with the identity map */
    const struct memory_map *map; /* a page below 1 MiB is borrowed for a moment */
    const struct pt_cpuid *pt;    /* the first CPU's; NULL: none will be traced */
};

/* Start each CPU but the first. A line on the console tells of each what it is. false: at least one has not answered or
 * has another VMX. Those that answer wait in root mode, with interrupts off. */
bool aps_start(const struct aps_request *request);

/* Back to where the firmware left them: waiting for a SIPI, with nothing of ours. */
void aps_put_back(const struct boot_cpu *cpus, uint16_t nr_cpus);

/* Those that wait call run, each for itself and all at once. The identity map is gone. run does not return. */
typedef void aps_run(struct boot_cpu *cpu);
void aps_release(aps_run *run);

#endif
