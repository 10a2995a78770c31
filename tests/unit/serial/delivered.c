#include "tests/unit/serial/delivered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void deliver(void *context, const struct frame_header *header, const uint8_t *payload)
{
    struct delivered *d = context;
    assert_int_equal(payload[0], (uint8_t)header->seq);
    d->seq[d->count++] = header->seq;
}
