/* Collects delivered frames, for the tests of the receivers. */
#ifndef TESTS_UNIT_SERIAL_DELIVERED_H
#define TESTS_UNIT_SERIAL_DELIVERED_H

#include <stddef.h>
#include <stdint.h>

#include "serial/wire/frame.h"

#define STREAM 0x55aa1234u

/* Numbers of the delivered frames, in the order of delivery. */
struct delivered {
    size_t count;
    uint32_t seq[2048];
};

/* A callback for reassemble and uart_stream. Checks that the first payload byte is the lowest byte of the number. */
void deliver(void *delivered, const struct frame_header *header, const uint8_t *payload);

#endif
