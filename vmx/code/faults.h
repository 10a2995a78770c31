/* Page faults whose pages the guest has not mapped yet: faults.c. Private to vmx/code/. */
#ifndef VMX_CODE_FAULTS_H
#define VMX_CODE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* The page of a fault that was deferred is about to be mapped: check it again soon, on this CPU. If too many faults are
 * pending, another one is deferred instead. The machine's lock is held. */
void fault_wake(struct cpu *cpu, uint64_t space, uint64_t linear);

#endif
