/* Frames that were handed on, for the tests of what hands them on. */
#ifndef TESTS_UNIT_SERIAL_DELIVERED_H
#define TESTS_UNIT_SERIAL_DELIVERED_H

#include <stddef.h>
#include <stdint.h>

#include "serial/wire/frame.h"

#define STREAM 0x55aa1234u

/* Their numbers, in the order in which they came. */
struct delivered {
    size_t count;
    uint32_t seq[2048];
};

/* A reassemble_deliver and a uart_stream_deliver: the first payload byte is the number's lowest. */
void deliver(void *delivered, const struct frame_header *header, const uint8_t *payload);

#endif
