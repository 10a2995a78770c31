/*
 * When to renew the lease of an address from a DHCP server, while the guest runs. Core: times are TSC ticks, passed by
 * the caller.
 *
 * Source: RFC 2131, section 4.4.5. It demands that a client stops using an address whose lease has expired. We do not,
 * because that would end the trace: the address stays in use, and the caller logs this.
 */
#ifndef SERIAL_NET_LEASE_H
#define SERIAL_NET_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/net/dhcp.h"

#define LEASE_NEVER UINT64_MAX

struct lease {
    uint64_t hz;                 /* ticks per second */
    uint64_t renew, rebind, end; /* T1, T2, and the expiry, as points in time */
    uint64_t due;                /* time of the next request; LEASE_NEVER: the lease is infinite, or lost */
    uint64_t requested;          /* time of the last request, at which the next lease will start */
    bool has_ended;
};

enum lease_action {
    LEASE_WAIT,
    LEASE_RENEW,  /* send a request to the server of the lease */
    LEASE_REBIND, /* send a request to all servers */
    LEASE_ENDS    /* once: as LEASE_REBIND, and report that the lease has expired */
};

/* A server has acknowledged the request that was sent at requested: the first one, or a renewal. */
void lease_start(struct lease *lease, const struct dhcp *dhcp, uint64_t hz, uint64_t requested);

/* What to do at now. The caller must do it: it counts as done. */
enum lease_action lease_due(struct lease *lease, uint64_t now);

/* A server has refused the renewal: send no more requests. */
void lease_lose(struct lease *lease);

#endif
