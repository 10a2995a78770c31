/* The wire's part of the self-test: bytes of a known pattern, as trace, and how fast the receiver takes them. Shell. */
#ifndef BOOT_SELFTEST_SELFTEST_WIRE_H
#define BOOT_SELFTEST_SELFTEST_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/sink.h"

#define SELFTEST_WIRE_BYTES (1u << 20) /* of memory */

/* Send the pattern again and again, for some seconds or up to an amount, as the trace of CPU 0; say how it went.
 * memory: SELFTEST_WIRE_BYTES, page-aligned. false: the receiver did not take all of it. */
bool selftest_wire(struct sink *sink, uint8_t *memory);

/* The last record of each CPU, and the wait until they have arrived. */
void selftest_wire_end(struct sink *sink);

#endif
