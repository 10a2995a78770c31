/*
 * A receiver that says where it is: a frame of kind ANNOUNCE in a datagram to all. Core; only a boot uses it.
 */
#ifndef SERIAL_NET_ANNOUNCE_H
#define SERIAL_NET_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the received frame an announcement to this UDP port? *ip: the receiver's address, in host byte order. */
bool announce_take(uint32_t *ip, uint16_t port, const uint8_t *frame, size_t size);

#endif
