/* channel=none: a sink that discards everything. Shell. */
#ifndef SERIAL_WIRE_NULL_SINK_H
#define SERIAL_WIRE_NULL_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "serial/wire/sink.h"

/* Bytes that null_sink_init needs for this many CPUs. */
size_t null_sink_memory_bytes(uint16_t nr_cpus);

/* memory: aligned to 8. Cannot fail. */
struct sink *null_sink_init(void *memory, uint16_t nr_cpus);

#endif
