/* Where a Linux kernel keeps its current task: the values of the hypervisor's option tasks=, from the types (BTF) and
 * symbols of the kernel's image. Pure. */
#ifndef DECODE_NAMES_KERNEL_KERNEL_TASKS_H
#define DECODE_NAMES_KERNEL_KERNEL_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/names/kernel/kernel_image.h"

/* The fields of the option: docs/options.md. */
struct kernel_tasks {
    uint64_t current, pid, comm, vfork;
    uint64_t entry; /* 0: current does not depend on how far the kernel was moved */
};

/* NULL: done; else what the image lacks, as the end of a message. */
const char *kernel_tasks_find(struct kernel_tasks *tasks, const struct kernel_image *kernel);

#endif
