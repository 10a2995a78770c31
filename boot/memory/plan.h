/* How much memory we take, and where. Shell. */
#ifndef BOOT_MEMORY_PLAN_H
#define BOOT_MEMORY_PLAN_H

#include "boot/state.h"

#define BOOT_STACK_SIZE 16384u /* until a CPU enters the guest for the first time */

/* For the text of the first record, of this many CPUs. */
static inline uint32_t plan_hello_bytes(uint16_t nr_cpus)
{
    return 8192 + nr_cpus * 128u;
}

/* Find the range that becomes ours, for the machine and the options as they are; too little memory is the end, with a
 * message. info_pa: the boot loader's information; image_pa: where it has put us. */
void plan_carve(struct boot_state *boot, uint32_t info_pa, uint64_t image_pa);

/* Take the CPUs' trace regions, first of all: the carved range has their alignment. Then the rest of each CPU's. */
void plan_cpus(struct boot_state *boot);

/* size zeroed bytes, page-aligned. */
void *plan_take(struct boot_state *boot, uint64_t size);

#endif
