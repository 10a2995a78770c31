/*
 * Numbers as bytes: seven bits a byte, the lowest first, so that small ones are short (LEB128). For files beside a
 * capture whose entries differ in size. Reading never goes beyond the end, and remembers that something was wrong, so
 * that the caller can check once, at the end. Pure.
 */
#ifndef DECODE_CAPTURE_PACK_H
#define DECODE_CAPTURE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack {
    uint8_t *bytes;
    size_t size, room;
    bool no_memory; /* something is missing */
};

void pack_number(struct pack *pack, uint64_t number);
/* A number that is near another one, which is known when it is read. */
void pack_near(struct pack *pack, uint64_t number, uint64_t other);
void pack_bytes(struct pack *pack, const void *bytes, size_t size);
void pack_free(struct pack *pack);

struct packed {
    const uint8_t *at, *end;
    bool bad; /* the bytes ended, or had a number out of range: what was read since is 0 */
};

uint64_t packed_number(struct packed *packed);
uint64_t packed_near(struct packed *packed, uint64_t other);
/* A number below a limit; another one is bad, and 0 is returned. */
uint64_t packed_below(struct packed *packed, uint64_t limit);
/* NULL: bad. */
const void *packed_bytes(struct packed *packed, uint64_t size);

#endif
