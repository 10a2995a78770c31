/* Counts and times of VM exits per CPU, and the text in which they leave: vmx/cpu/exit_counts.c. Private to vmx/. */
#ifndef VMX_CPU_EXIT_COUNTS_H
#define VMX_CPU_EXIT_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/msr.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/exit_reasons.h"

/* vmx/cpu/exit_counts.c. Only its own CPU touches it; another one reads it for a CPU that waits for SIPI. */
struct exit_counts_cpu {
    uint64_t nr[NR_EXIT_REASONS]; /* by basic exit reason */
    /* TSC ticks from VM exit to VM entry. While an exit is being handled, the TSC at which it began is subtracted: the
     * value is negative until it is added again. */
    uint64_t tsc[NR_EXIT_REASONS];
};
CPU_STATE(exit_counts)

/* reason < NR_EXIT_REASONS */
static inline void exit_counts_begin(struct cpu *cpu, uint32_t reason)
{
    exit_counts_of(cpu)->nr[reason]++;
    exit_counts_of(cpu)->tsc[reason] -= tsc_read();
}

static inline void exit_counts_end(struct cpu *cpu, uint32_t reason)
{
    exit_counts_of(cpu)->tsc[reason] += tsc_read();
}

/* The guest has moved this CPU's TSC ahead by change ticks in the exit that is being handled. */
static inline void exit_counts_tsc_moved(struct cpu *cpu, uint32_t reason, uint64_t change)
{
    exit_counts_of(cpu)->tsc[reason] -= change;
}

/* The CPU's last record, RECORD_END, with its totals. sleeps: the machine goes to a sleep state. Call after
 * pt_flush_begin; another CPU may do it for one that waits for SIPI. */
void exit_counts_flush(struct cpu *cpu, bool sleeps);

#endif
