/* Announces this receiver's address to hypervisors that wait for it (net.peer=announce). */
#ifndef DECODE_RECEIVE_ANNOUNCE_H
#define DECODE_RECEIVE_ANNOUNCE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/siphash.h"

/* ADDRESS or ADDRESS:PORT, numeric; port is the default. false: it is neither. */
bool announce_parse(struct sockaddr_in *to, const char *text, uint16_t port);

/* Send an announcement from the socket fd, which is bound to port: to *to, or if that is NULL, to the broadcast address
 * of each network of this host at the same port. key: NULL, or the key that the hypervisor has. Failures to send are
 * ignored, like lost datagrams. */
void announce_send(int fd, uint16_t port, const struct sockaddr_in *to, const struct siphash_key *key);

#endif
