/*
 * Which holes in a stream are legitimate. Offsets skip bytes only if a record announced it, or if frames were lost,
 * whose number bounds the bytes. A frame at any other offset counts as damaged, unless the next frame follows it. Pure.
 */
#ifndef DECODE_HOLES_H
#define DECODE_HOLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the hypervisor announced as missing, in order. */
struct holes_announced {
    uint64_t from, end;
};

struct holes {
    struct holes_announced *announced;
    size_t nr_announced;
    bool held;       /* a frame at an unexplained offset waits for one that follows it */
    uint64_t offset; /* of its first byte */
    size_t size;
    uint8_t *bytes; /* room for FRAME_MAX_PLAIN */
};

void holes_free(struct holes *holes);

/* The bytes from `from` to end will not arrive. false: out of memory. */
bool holes_announce(struct holes *holes, uint64_t from, uint64_t end);

/* Find the first missing bytes in [*at, end) that were not announced: *at moves to them. Returns how many there are; 0:
 * none. */
uint64_t holes_unannounced(const struct holes *holes, uint64_t *at, uint64_t end);

/* The stream has reached offset: drop the announcements before it. */
void holes_forget(struct holes *holes, uint64_t offset);

/* Keep a copy of a frame's bytes, in place of one that was held before. false: out of memory. */
bool holes_hold(struct holes *holes, uint64_t offset, const uint8_t *bytes, size_t size);

/* Does a frame at offset follow the held frame? Then that one's offset is right. */
bool holes_confirm(const struct holes *holes, uint64_t offset);

#endif
