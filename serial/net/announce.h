/*
 * Announcements: a receiver broadcasts its address in a frame of kind FRAME_ANNOUNCE. Core; used only during boot.
 */
#ifndef SERIAL_NET_ANNOUNCE_H
#define SERIAL_NET_ANNOUNCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the received Ethernet frame an announcement to this UDP port? If so, *ip is the receiver's address, in host byte
 * order. */
bool announce_take(uint32_t *ip, uint16_t port, const uint8_t *frame, size_t size);

#endif
