/* Records of the executable mappings in the guest's page tables (RECORD_MAP): mappings.c. Private to vmx/code/. The
 * machine's lock is held for all functions. */
#ifndef VMX_CODE_MAPPINGS_H
#define VMX_CODE_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;
struct page_fault;

enum mapping {
    MAPPING_ABSENT, /* the page is not present */
    MAPPING_DATA,   /* nothing around it is executable */
    MAPPING_CODE    /* something is, and a RECORD_MAP has been sent of it, now or before */
};

/* Send a RECORD_MAP of the stretch around the fault's address, if it differs from the last one, or if a device has
 * written one of its pages since that was sent. offset: fault_offset of struct record_map; ABSENT_UNKNOWN: at some time
 * since the fault, which is this CPU's. */
enum mapping mapping_send(struct cpu *cpu, const struct page_fault *fault, uint64_t offset);

/* The guest has faulted, and may map another page than another CPU has a record of: have the other CPUs record where
 * their traces are now. */
void mapping_fault_begins(struct cpu *cpu, uint64_t key, uint64_t linear);

/* From the fault on it is unknown what its page mapped: it may have been present for a time. */
void mapping_missed(struct cpu *cpu, const struct page_fault *fault);

/* Send RECORD_MAPs of what user mode may execute in the space of a key, where it differs from the last ones. since:
 * this CPU's trace offset when that was done before; ABSENT_UNKNOWN: never, or on another CPU. Begins at a linear
 * address: 0, or what the last call returned, and stops when it has taken MAPPING_PART_TSC. Returns where to continue;
 * 0: the end. */
#define MAPPING_PART_TSC (1ull << 20)
uint64_t mapping_send_all(struct cpu *cpu, uint64_t key, uint64_t since, uint64_t from);

#endif
