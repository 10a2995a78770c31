/* Which task of the guest's runs: vmx/guest_task.c. Private to vmx/. */
#ifndef VMX_GUEST_TASK_H
#define VMX_GUEST_TASK_H

#include <stdint.h>

#include "serial/wire/record.h"

struct cpu;

/* What was told last of a space, and where the task that ran there has it. */
struct task_told {
    uint64_t task; /* linear address of its task_struct; 0: nothing was told */
    const volatile char *fields;
    union {
        struct record_task record;
        struct {
            uint64_t cr3, ids, flags, comm[2];
        };
    };
};

#define NR_TASKS_TOLD 32u
struct guest_tasks {
    uint64_t gs;                      /* the kernel's GS.base that current is of; 0: none was found */
    const volatile uint64_t *current; /* where the guest's kernel has the address of the task that runs */
    struct task_told told[NR_TASKS_TOLD];
};

/* The guest has faulted at linear, in the space of cr3 (without PCID): tell which task it is, where that is not what
 * was told last of the space. Nothing without the option tasks=, and where the task cannot be found. Call between
 * pt_exit and pt_enter. */
void guest_task_look(struct cpu *cpu, uint64_t cr3, uint64_t linear);

#endif
