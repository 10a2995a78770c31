/* Which task of a Linux guest runs in an address space, as RECORD_TASK: task.c. Private to vmx/code/. */
#ifndef VMX_CODE_TASK_H
#define VMX_CODE_TASK_H

#include <stdint.h>

#include "serial/wire/record.h"

struct cpu;

/* The last RECORD_TASK of a space, and where its task_struct is. */
struct sent_task {
    uint64_t task;               /* linear address of the task_struct; 0: nothing was sent */
    const volatile char *fields; /* the task_struct in root mode's address space */
    union {
        struct record_task record;
        struct {
            uint64_t cr3, ids, flags, comm[2];
        };
    };
};

/* task.c. Only its own CPU touches it. */
#define NR_SENT_TASKS 32u
struct task_cpu {
    uint64_t gs;                      /* the kernel's GS.base that current belongs to; 0: none was found */
    const volatile uint64_t *current; /* the kernel's pointer to the task that runs on this CPU */
    struct sent_task sent[NR_SENT_TASKS];
};

/* The guest has faulted at linear, in the space of cr3 (without PCID): send a RECORD_TASK if the space's task differs
 * from the last one sent. Does nothing without the option tasks=, or where the task cannot be found. */
void task_check(struct cpu *cpu, uint64_t cr3, uint64_t linear);

#endif
