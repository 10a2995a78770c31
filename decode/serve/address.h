/* Addresses to listen at, and which names a browser may have for them. Pure. */
#ifndef DECODE_SERVE_ADDRESS_H
#define DECODE_SERVE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serve_address {
    bool is_ipv6;
    uint8_t bytes[16]; /* in the network's order; of IPv4 the first four */
};

/* An IPv4 or IPv6 address without brackets, or localhost, which is 127.0.0.1. false: it is neither. */
bool serve_address_parse(struct serve_address *address, const char *text);

bool serve_address_is_loopback(const struct serve_address *address);

/* Is a request's Host header (NAME or NAME:PORT) one for this server? It must be localhost, a loopback address or the
 * server's address; if that is 0.0.0.0 or ::, any address, but no other name: a stranger's name may resolve to this
 * machine at any moment, and then the browser takes the server for a part of the stranger's site. The port is not
 * checked, since a tunnel may have another one. host NULL: there is none. */
bool serve_address_has_host(const struct serve_address *address, const char *host);

#endif
