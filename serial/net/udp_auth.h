/*
 * channel=net: authenticated frames (serial/wire/auth.h). Shell.
 */
#ifndef SERIAL_NET_UDP_AUTH_H
#define SERIAL_NET_UDP_AUTH_H

#include "serial/wire/auth.h"

struct udp_sink;

struct udp_auth {
    bool required; /* there is a shared key: frames without the right tag are ignored */
    bool is_open;  /* the receiver has answered: session is valid */
    struct siphash_key shared;
    struct auth_nonces nonces;
    struct auth_session session;
};

/* Is a received frame, which frame_parse has accepted, to be used? Without a key: one without a tag; with a key: one
 * with the right tag. Completes the session when the receiver's answer arrives. */
bool udp_auth_accepts(struct udp_sink *s, const struct frame_header *header, const uint8_t *datagram);

/* Build the Ethernet frame that asks the receiver to begin a session, at frame, which has room for 256 bytes. Returns
 * its size. */
size_t udp_auth_build_open(const struct udp_sink *s, uint8_t *frame);

#endif
