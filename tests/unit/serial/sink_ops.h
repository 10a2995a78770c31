/* The operations of a fake sink. */
#ifndef TESTS_UNIT_SERIAL_SINK_OPS_H
#define TESTS_UNIT_SERIAL_SINK_OPS_H

#include "serial/wire/sink.h"

/* An initialiser of struct sink_ops for a file that defines fake_trace, fake_record and so on. */
#define FAKE_SINK_OPS                                                                                                  \
    {                                                                                                                  \
        .name = "fake", .trace = fake_trace, .record = fake_record, .released = fake_released, .poll = fake_poll,      \
        .delivered = fake_delivered, .busy = fake_busy, .commands = fake_commands                                      \
    }

#endif
