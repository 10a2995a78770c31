/* Kind: core */
#include "serial/net/lease.h"

#define AGAIN_SECONDS 60u       /* RFC 2131, section 4.4.5: shortest interval between requests */
#define MOST_SECONDS (1u << 30) /* 34 years: keeps ticks from overflowing */

static uint64_t ticks_of(const struct lease *lease, uint32_t seconds)
{
    return lease->hz * (seconds < MOST_SECONDS ? seconds : MOST_SECONDS);
}

void lease_start(struct lease *lease, const struct dhcp *dhcp, uint64_t hz, uint64_t requested)
{
    *lease = (struct lease){.hz = hz, .due = LEASE_NEVER, .requested = requested};
    if (dhcp->lease_seconds == 0 || dhcp->lease_seconds == DHCP_FOR_EVER)
        return;
    const uint64_t whole = ticks_of(lease, dhcp->lease_seconds), t1 = ticks_of(lease, dhcp->renew_seconds),
                   t2 = ticks_of(lease, dhcp->rebind_seconds);
    const bool given = t1 != 0 && t1 < t2 && t2 < whole; /* else the RFC's defaults */

    lease->renew = requested + (given ? t1 : whole / 2);
    lease->rebind = requested + (given ? t2 : whole - whole / 8);
    lease->end = requested + whole;
    lease->due = lease->renew;
}

/* When to send the next request: after half of the time left until then, but not too soon, and no later than then. */
static uint64_t next_request(const struct lease *lease, uint64_t now, uint64_t then)
{
    const uint64_t half = (then - now) / 2, least = ticks_of(lease, AGAIN_SECONDS);
    const uint64_t wait = half < least ? least : half;

    return then - now < wait ? then : now + wait;
}

enum lease_action lease_due(struct lease *lease, uint64_t now)
{
    if (lease->due == LEASE_NEVER || now < lease->due)
        return LEASE_WAIT;
    lease->requested = now;
    if (now >= lease->end) {
        const bool reported = lease->has_ended;

        lease->has_ended = true;
        lease->due = now + ticks_of(lease, AGAIN_SECONDS);
        return reported ? LEASE_REBIND : LEASE_ENDS;
    }
    lease->due = next_request(lease, now, now < lease->rebind ? lease->rebind : lease->end);
    return now < lease->rebind ? LEASE_RENEW : LEASE_REBIND;
}

void lease_lose(struct lease *lease)
{
    lease->due = LEASE_NEVER;
}
