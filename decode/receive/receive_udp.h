/* Receiving datagrams, answered as docs/wire.md says. */
#ifndef DECODE_RECEIVE_UDP_H
#define DECODE_RECEIVE_UDP_H

#include "decode/receive/reception.h"

/* At address (NULL: all) and port. */
enum reception_outcome receive_udp(struct reception *reception, const char *address, uint16_t port);

#endif
