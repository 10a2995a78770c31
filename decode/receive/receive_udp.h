/* Receives datagrams and acknowledges them: docs/wire.md. */
#ifndef DECODE_RECEIVE_UDP_H
#define DECODE_RECEIVE_UDP_H

#include "decode/receive/reception.h"

/* Listen at address (NULL: all) and port. */
enum reception_outcome receive_udp(struct reception *reception, const char *address, uint16_t port);

#endif
