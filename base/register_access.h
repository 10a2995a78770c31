/* A device's registers as functions, so that core drivers run against fake registers in unit tests. */
#ifndef BASE_REGISTER_ACCESS_H
#define BASE_REGISTER_ACCESS_H

#include <stdint.h>

/* offset is in bytes; an access has 1, 2 or 4 bytes and is naturally aligned. */
struct register_access {
    uint32_t (*read)(void *context, uint32_t offset, unsigned bytes);
    void (*write)(void *context, uint32_t offset, unsigned bytes, uint32_t value);
    void (*wait_us)(void *context, uint32_t us); /* returns after at least that many microseconds */
    void *context;
};

#endif
