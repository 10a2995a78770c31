/* Kind: core, init */
#include "boot/tsc_ahead.h"

void tsc_ahead_take(struct tsc_ahead *ahead, uint64_t before, uint64_t other, uint64_t after)
{
    const int64_t least = (int64_t)(other - after), most = (int64_t)(other - before);

    ahead->least = least > ahead->least ? least : ahead->least;
    ahead->most = most < ahead->most ? most : ahead->most;
}

/* least is above most only if one of the TSCs did not run evenly meanwhile. */
bool tsc_ahead_differs(const struct tsc_ahead *ahead, int64_t *ticks, uint32_t *error)
{
    const uint64_t range = ahead->most >= ahead->least ? (uint64_t)ahead->most - (uint64_t)ahead->least
                                                       : (uint64_t)ahead->least - (uint64_t)ahead->most;

    *ticks = (int64_t)((uint64_t)(ahead->most >= ahead->least ? ahead->least : ahead->most) + range / 2);
    *error = (range + 1) / 2 < UINT32_MAX ? (uint32_t)((range + 1) / 2) : UINT32_MAX;
    return range <= INT64_MAX && (ahead->least > 0 || ahead->most < 0);
}
