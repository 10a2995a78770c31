/* Kind: core */
#include "serial/net/lease.h"

#define AGAIN_SECONDS 60u       /* RFC 2131, section 4.4.5: a request is sent again no sooner */
#define MOST_SECONDS (1u << 30) /* 34 years: ticks do not overflow */

static uint64_t ticks_of(const struct lease *lease, uint32_t seconds)
{
    return lease->hz * (seconds < MOST_SECONDS ? seconds : MOST_SECONDS);
}

void lease_start(struct lease *lease, const struct dhcp *dhcp, uint64_t hz, uint64_t asked)
{
    *lease = (struct lease){.hz = hz, .due = LEASE_NEVER, .asked = asked};
    if (dhcp->lease_seconds == 0 || dhcp->lease_seconds == DHCP_FOR_EVER)
        return;
    const uint64_t whole = ticks_of(lease, dhcp->lease_seconds), t1 = ticks_of(lease, dhcp->renew_seconds),
                   t2 = ticks_of(lease, dhcp->rebind_seconds);
    const bool told = t1 != 0 && t1 < t2 && t2 < whole;

    lease->renew = asked + (told ? t1 : whole / 2);
    lease->rebind = asked + (told ? t2 : whole - whole / 8);
    lease->end = asked + whole;
    lease->due = lease->renew;
}

/* Half of what is left until then, but not too soon behind the last one; then, at the latest. */
static uint64_t again(const struct lease *lease, uint64_t now, uint64_t then)
{
    const uint64_t half = (then - now) / 2, least = ticks_of(lease, AGAIN_SECONDS);
    const uint64_t wait = half < least ? least : half;

    return then - now < wait ? then : now + wait;
}

enum lease_action lease_due(struct lease *lease, uint64_t now)
{
    if (lease->due == LEASE_NEVER || now < lease->due)
        return LEASE_WAIT;
    lease->asked = now;
    if (now >= lease->end) {
        const bool was_said = lease->has_ended;

        lease->has_ended = true;
        lease->due = now + ticks_of(lease, AGAIN_SECONDS);
        return was_said ? LEASE_REBIND : LEASE_ENDS;
    }
    lease->due = again(lease, now, now < lease->rebind ? lease->rebind : lease->end);
    return now < lease->rebind ? LEASE_RENEW : LEASE_REBIND;
}

void lease_lose(struct lease *lease)
{
    lease->due = LEASE_NEVER;
}
