/* Where a kernel has the task that runs: what the hypervisor's option tasks= says, from the types (BTF) and symbols of
 * the kernel's image. Pure. */
#ifndef DECODE_NAMES_KERNEL_TASKS_H
#define DECODE_NAMES_KERNEL_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/names/kernel_image.h"

/* As in docs/options.md. */
struct kernel_tasks {
    uint64_t current, pid, comm, vfork;
    uint64_t entry; /* 0: current does not depend on where the kernel was moved to */
};

/* NULL: done; else what the image lacks, for the end of a sentence. */
const char *kernel_tasks_find(struct kernel_tasks *tasks, const struct kernel_image *kernel);

#endif
