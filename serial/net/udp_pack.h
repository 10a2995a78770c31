/*
 * channel=net: compressed frames (net.compress=lz4). Shell.
 *
 * A frame that is in flight needs memory for its block, since it may be sent again: each frame of the window has a
 * buffer. Bytes that do not shrink are sent from where they are, as without compression.
 */
#ifndef SERIAL_NET_UDP_PACK_H
#define SERIAL_NET_UDP_PACK_H

#include <stdint.h>

#include "serial/wire/lz4.h"
#include "serial/wire/stream.h"

struct udp_sink;

#define UDP_PACK_BUFFER_BYTES(payload) (((payload) + 63u) & ~63u)

struct udp_packer {
    struct lz4_table table;
    uint8_t *buffers; /* [frame modulo the window's size] */
    uint64_t buffers_pa;
    uint64_t polled; /* time of the poll to which left belongs */
    uint32_t left;   /* bytes that this poll may still compress */
};

/* Compress as many of the span's bytes as fit into the frame that is to be sent next: the result has their number, and
 * that of the block, which is at udp_packed_pa. If plain and packed are equal, the bytes do not shrink, and at most so
 * many are to be sent as they are. 0: this poll has compressed enough. */
struct lz4_block udp_pack(struct udp_sink *s, struct span span, uint64_t now);

/* Physical address of the next frame's buffer. */
uint64_t udp_packed_pa(const struct udp_sink *s);

#endif
