/*
 * Announcements: a receiver broadcasts its address in a frame of kind FRAME_ANNOUNCE. Core; used only during boot.
 */
#ifndef SERIAL_NET_ANNOUNCE_H
#define SERIAL_NET_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/siphash.h"

/* Is the received Ethernet frame an announcement to this UDP port? If so, *ip is the receiver's address, in host byte
 * order. key: the shared key, with which the announcement must have been made; NULL: none. */
bool announce_take(uint32_t *ip, uint16_t port, const struct siphash_key *key, const uint8_t *frame, size_t size);

#endif
