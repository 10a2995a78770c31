/* The self-test of the channel: send a known pattern as trace, and measure the rate. */
#ifndef BOOT_SELFTEST_SELFTEST_WIRE_H
#define BOOT_SELFTEST_SELFTEST_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/sink.h"

#define SELFTEST_WIRE_BYTES (1u << 20) /* memory that it needs */

/* Send the pattern repeatedly as the trace of CPU 0, for 5 seconds or until 64 MiB are sent, and log the rate. memory:
 * SELFTEST_WIRE_BYTES, page-aligned. false: the receiver did not acknowledge all of it. */
bool selftest_wire(struct sink *sink, uint8_t *memory);

/* Send each CPU's last record, and wait until the receiver has acknowledged it. */
void selftest_wire_end(struct sink *sink);

#endif
