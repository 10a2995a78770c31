/* How much memory we need, and which. */
#ifndef BOOT_PLAN_H
#define BOOT_PLAN_H

#include "boot/state.h"

#define BOOT_STACK_SIZE 16384u /* used until a CPU enters the guest for the first time */

/* Choose the range that becomes ours, in boot->places; fails the boot if there is too little memory. info_pa: the boot
 * loader's information; image_pa: where the boot loader has put our image. */
void plan_carve(struct boot_state *boot, uint32_t info_pa, uint64_t image_pa);

/* Allocate each CPU's memory. This must be the first allocation: the trace regions need the alignment of the carved
 * range's start. */
void plan_cpus(struct boot_state *boot);

/* Allocate size zeroed bytes, page-aligned; fails the boot if they are not there. */
void *plan_alloc(struct boot_state *boot, uint64_t size);

#endif
