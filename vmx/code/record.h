/*
 * Numbers of records of code (RECORD_PAGE, RECORD_MAP), in the order of the machine, and up to which one each CPU's
 * trace is current. record.c. Private to vmx/code/.
 */
#ifndef VMX_CODE_RECORD_H
#define VMX_CODE_RECORD_H

#include <stdint.h>

#include "serial/wire/record.h"

struct cpu;

/* The newest number. The machine's lock is held. */
uint64_t record_newest(void);

/* Take a number for a record of this CPU's, or a number without a record: up to here other CPUs have executed what was
 * known before. The machine's lock is held. */
void record_advance(struct cpu *cpu);

/* This CPU has just written the record with the newest number into its own stream. The machine's lock is held. */
void record_is_current(struct cpu *cpu);

/* Number head and send it with its runs. The machine's lock is held. */
void record_map_send(struct cpu *cpu, struct record_map head, const struct record_map_run *runs);

#endif
