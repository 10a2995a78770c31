/* Saying where this receiver is, to hypervisors that wait for it (net.peer=announce). */
#ifndef DECODE_RECEIVE_ANNOUNCE_H
#define DECODE_RECEIVE_ANNOUNCE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* ADDRESS or ADDRESS:PORT, in numbers; port is the default. false: it is neither. */
bool announce_parse(struct sockaddr_in *to, const char *text, uint16_t port);

/* From the socket fd, which is bound to port: to the broadcast address of each network that this host is on, at that
 * port; or to *to alone. One that cannot be sent is like one that is lost. */
void announce_send(int fd, uint16_t port, const struct sockaddr_in *to);

#endif
