/* Deadlines that another CPU may have set, in TSC ticks. TSCs of CPUs may differ, and the guest writes its own. */
#ifndef BASE_DEADLINE_H
#define BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* Is a deadline over that was set at most longest ticks ahead? One that is further ahead of now was set by another TSC:
 * it counts as over, so that no wait is longer than that. */
static inline bool deadline_is_over(uint64_t deadline, uint64_t now, uint64_t longest)
{
    return deadline - now - 1 >= longest;
}

#endif
