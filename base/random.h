/* Random numbers, for names and keys of this boot. Shell. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* A number that others cannot guess if the CPU has RDRAND (SDM Vol. 1, "RDRAND"), mixed with the TSC. Without RDRAND
 * only the TSC makes it: it differs from boot to boot, but an attacker who knows when the machine was started can guess
 * it. */
uint64_t random64(void);

/* Has the CPU RDRAND, and does it deliver numbers? */
int random_is_secret(void);

#endif
