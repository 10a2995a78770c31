/*
 * When to ask for more time for an address from a DHCP server, while the guest runs. Core: times are TSC ticks, given
 * by the caller.
 *
 * Source: RFC 2131, section 4.4.5. Where it says "MUST stop" we do not, as that would end the trace: the address stays
 * in use to the end, and whoever uses this says so.
 */
#ifndef SERIAL_NET_LEASE_H
#define SERIAL_NET_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/net/dhcp.h"

#define LEASE_NEVER UINT64_MAX

struct lease {
    uint64_t hz;                 /* ticks a second */
    uint64_t renew, rebind, end; /* T1, T2, and when it ends */
    uint64_t due;                /* when lease_due is to be asked next; LEASE_NEVER: it has no end, or is lost */
    uint64_t asked;              /* when the last request was sent, from which the next lease counts */
    bool has_ended;
};

enum lease_action {
    LEASE_WAIT,
    LEASE_RENEW,  /* ask its server */
    LEASE_REBIND, /* ask all servers */
    LEASE_ENDS    /* ask all servers, and say that the address is used without a lease: once */
};

/* An agreement, the first one or a renewal, to the request that was sent at asked. */
void lease_start(struct lease *lease, const struct dhcp *dhcp, uint64_t hz, uint64_t asked);

/* What is to be done at now, which is counted as done. */
enum lease_action lease_due(struct lease *lease, uint64_t now);

/* A server says that the address is not ours: no more requests. */
void lease_lose(struct lease *lease);

#endif
