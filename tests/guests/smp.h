/* What the parts of the guest smp share. */
#ifndef TESTS_GUESTS_SMP_H
#define TESTS_GUESTS_SMP_H

#include "ap.h"
#include "machine.h"

#define MAX_CPUS 24u
#define AP_PAGE 0x5f000u /* above 64 KiB, so that the linear addresses there do not fit into IP */
#define VECTOR 0x40u

struct cpu {
    volatile uint32_t starts, asked, done; /* how often it came up; tasks that it was given, and that it ended */
    void (*volatile task)(uint32_t cpu);
    volatile uint32_t interrupts, nmis; /* that arrived */
    volatile uint32_t sum;              /* what a task found */
} __attribute__((aligned(64)));
extern struct cpu cpus[MAX_CPUS];

extern struct options {
    uint32_t cpus, rounds, stops, nmis, sipis;
    bool x2apic, small, restarts, modes, logical, pauses, patches;
    char end;
} options;

uint32_t self(void);
void apic_on(void);
uint64_t tsc(void);
void ipi(uint32_t cpu, uint32_t command);
void ipi_init(uint32_t cpu);
/* "smp: what is", and a failure where that is not what it should be. small: only failures. */
void expect(const char *what, uint64_t is, uint64_t should);

/* INIT, SIPI, SIPI; comes back when it runs. */
void cpu_start(uint32_t number);
/* SIPI right after INIT, and the second SIPI soon, as a kernel does that knows its CPU to be a recent one. false: it
 * has not come up within so many TSC ticks. */
bool cpu_restart(uint32_t number, uint64_t patience_tsc);
/* Give it a task; wait until it has done it. */
void cpu_ask(uint32_t number, void (*task)(uint32_t cpu));
void cpu_wait(uint32_t number);
/* One task on all CPUs, the first among them. */
void cpus_run(void (*task)(uint32_t cpu));

/* The parts. */
void smp_interrupts(void);
void smp_patches(void);
void smp_offline(void);
void smp_storms(void);
void smp_modes(void);
void smp_nmis(void);
void smp_starts(void);

#endif
