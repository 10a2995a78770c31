/*
 * Which holes in a stream there may be. Offsets never skip but where a record said so, or where frames were lost, which
 * bounds how many bytes; a frame at any other place is one frame's error until the next one goes on behind it. Pure.
 */
#ifndef DECODE_HOLES_H
#define DECODE_HOLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the hypervisor said will not come, in order. */
struct holes_announced {
    uint64_t from, end;
};

struct holes {
    struct holes_announced *announced;
    size_t nr_announced;
    bool held;       /* a frame that nothing explains waits for one that goes on behind it: */
    uint64_t offset; /* of its first byte */
    size_t size;
    uint8_t *bytes; /* room for FRAME_MAX_PAYLOAD */
};

void holes_free(struct holes *holes);

/* Bytes of from to end will not come. false: no memory. */
bool holes_announce(struct holes *holes, uint64_t from, uint64_t end);

/* The first bytes behind *at, before end, that nobody has announced: *at moves there. Returns how many; 0: there are
 * none. */
uint64_t holes_unannounced(const struct holes *holes, uint64_t *at, uint64_t end);

/* The stream has come to offset: what was announced before it has been. */
void holes_forget(struct holes *holes, uint64_t offset);

/* Keep a copy of a frame's bytes; one that was held before is given up. false: no memory. */
bool holes_hold(struct holes *holes, uint64_t offset, const uint8_t *bytes, size_t size);

/* Does the stream go on at offset behind the held frame? Then its place is right. */
bool holes_confirm(const struct holes *holes, uint64_t offset);

#endif
