/* Kind: core, hot */
#include "serial/wire/rtt.h"

#include "base/init.h"

INIT_CODE struct rtt rtt_make(uint64_t tsc_hz)
{
    return (struct rtt){.shortest = UINT64_MAX, .granularity = tsc_hz / 500, .rto = tsc_hz / 5};
}

/* RFC 6298, section 2, with alpha 1/8, beta 1/4 and K 4. */
void rtt_sample(struct rtt *rtt, uint64_t ticks)
{
    if (rtt->srtt == 0) {
        rtt->srtt = ticks;
        rtt->rttvar = ticks / 2;
    } else {
        const uint64_t difference = ticks > rtt->srtt ? ticks - rtt->srtt : rtt->srtt - ticks;

        rtt->rttvar += difference / 4 - rtt->rttvar / 4;
        rtt->srtt += ticks / 8 - rtt->srtt / 8;
    }
    if (ticks < rtt->shortest) {
        rtt->shortest = ticks;
    }
    rtt->rto = rtt->srtt + (4 * rtt->rttvar > rtt->granularity ? 4 * rtt->rttvar : rtt->granularity);
}
