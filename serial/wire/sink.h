/*
 * The sink: the one way in which the rest of the hypervisor gives bytes away. It does not know what they mean.
 *
 * Any CPU may call any of the functions at any time in root. A channel (serial/net/udp_sink.c, serial/uart/uart_sink.c,
 * serial/wire/null_sink.c) fills in the operations, which run one at a time: serial/wire/sink.c takes the lock around
 * each and lets other CPUs in wherever somebody waits. Core.
 */
#ifndef SERIAL_WIRE_SINK_H
#define SERIAL_WIRE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lock.h"
#include "serial/wire/command.h"

struct sink;
struct sink_cut;

/* A run of bytes in memory. */
struct sink_piece {
    const void *bytes;
    uint32_t size;
};

#define SINK_MAX_SPANS 128u

/* The functions below are these, with the lock held. None of them waits. */
struct sink_ops {
    const char *name;
    /* false: there is no room now, nothing was taken. Try again behind a poll. */
    bool (*trace)(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size);
    bool (*record)(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr);
    uint64_t (*released)(const struct sink *sink, uint16_t cpu); /* called without the lock: a single load */
    void (*poll)(struct sink *sink);
    /* Poll, and ask for what is needed to make it so: is everything delivered? */
    bool (*delivered)(struct sink *sink);
    bool (*busy)(const struct sink *sink);              /* called without the lock */
    struct command_box *(*commands)(struct sink *sink); /* the same one always; NULL: nobody can send any */
};

struct sink {
    const struct sink_ops *ops;
    struct lock lock; /* guards what the operations work on; taken behind all other locks, held by nobody who waits */
    uint16_t nr_cpus; /* CPUs that have streams, from 0 */
    struct sink_cut *cut; /* serial/wire/sink_cut.h; NULL: who waits for the channel waits for ever */
};

/* Hand over size bytes of the CPU's trace stream, starting at the stream's offset, contiguous in memory at va and pa.
 * Offsets only grow; a gap record for a hole comes first. The memory belongs to the sink until sink_released has passed
 * it. Never copies. At most SINK_MAX_SPANS spans per CPU may be unreleased, the caller keeps to that; spans that follow
 * each other in memory and in the stream count as one. */
void sink_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size);

/* Append the pieces, one behind the other and nothing between them, to the CPU's record stream. Copies. Waits, pumping
 * the wire, where the buffer is full, as long as serial/wire/sink_cut.h lets it. As with trace, sink_poll sends it. */
void sink_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr);

/* All of the CPU's trace bytes before the returned offset may be overwritten. */
static inline uint64_t sink_released(const struct sink *sink, uint16_t cpu)
{
    return sink->ops->released(sink, cpu);
}

/* Push what can be pushed, take in acknowledgements and commands, send again what timed out. */
void sink_poll(struct sink *sink);

/* Is anything waiting or on its way? A moment's answer: look often enough then for the wire to go on. */
static inline bool sink_busy(const struct sink *sink)
{
    return sink->ops->busy(sink);
}

/* Wait until everything of all CPUs is delivered (acknowledged, or shifted out of the UART). false: given up after the
 * timeout. */
bool sink_drain(struct sink *sink, uint64_t timeout_tsc);

/* The same as long as trace bytes are released: false where none was for the timeout. */
bool sink_drain_all(struct sink *sink, uint64_t timeout_tsc);

/* A CPU that stops for a fault may find the lock held by one that died in the sink, or by itself: take it away where
 * nobody releases it within so many TSC ticks. */
void sink_unlock_dead(struct sink *sink, uint64_t ticks);

/* The commands that poll has taken in, for each CPU to carry out: as in serial/wire/command.h, with the lock held. */
bool sink_command_waits(struct sink *sink, uint32_t cursor);
enum command_found sink_command_at(struct sink *sink, uint32_t cursor, struct command *command);
void sink_command_done(struct sink *sink, uint32_t cursor);

#endif
