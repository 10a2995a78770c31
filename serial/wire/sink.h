/*
 * The sink: the interface through which the hypervisor sends trace and records, whatever the channel. It does not
 * interpret the bytes.
 *
 * Any CPU may call any function at any time in root mode. A channel (serial/net/udp_sink.c, serial/uart/uart_sink.c,
 * serial/wire/null_sink.c) provides the operations. serial/wire/sink.c takes the lock around each operation, and
 * releases it while a caller waits. Core.
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

/* The operations of a channel, called with the lock held unless stated otherwise. None of them waits. */
struct sink_ops {
    const char *name;
    /* false: there is no room, and nothing was taken. Poll, and try again. */
    bool (*trace)(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size);
    bool (*record)(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr);
    uint64_t (*released)(const struct sink *sink, uint16_t cpu); /* called without the lock: a single load */
    void (*poll)(struct sink *sink);
    /* Poll, requesting an acknowledgement of everything: is everything delivered? */
    bool (*delivered)(struct sink *sink);
    bool (*busy)(const struct sink *sink);              /* called without the lock */
    struct command_box *(*commands)(struct sink *sink); /* always the same one; NULL: the channel has no commands */
};

struct sink {
    const struct sink_ops *ops;
    struct lock lock;     /* guards the operations' state. Innermost of all locks; not held while waiting */
    uint16_t nr_cpus;     /* CPUs that have streams, from 0 */
    struct sink_cut *cut; /* serial/wire/sink_cut.h; NULL: callers wait for the channel for ever */
    uint64_t end_tsc;     /* sink_drain_end; 0: the channel needs no answer */
    /* With compression: stream bytes that were sent, and the bytes of their frames' payloads. Otherwise 0. */
    uint64_t plain_bytes, packed_bytes;
};

/* Send size bytes of the CPU's trace stream from the given stream offset on; they are contiguous in memory at va and
 * pa. Offsets increase; before a hole, the caller must have sent its gap record. Nothing is copied: the memory must
 * stay unchanged until sink_released has passed it. The caller must keep at most SINK_MAX_SPANS spans per CPU
 * unreleased; spans that are adjacent in memory and in the stream count as one. */
void sink_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size);

/* Append a record, the concatenation of the pieces, to the CPU's record stream. It is copied. If the buffer is full,
 * poll and wait for room, at most as long as serial/wire/sink_cut.h allows. As with trace, sink_poll does the sending.
 */
void sink_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr);

/* The trace offset before which all bytes of the CPU may be overwritten. */
static inline uint64_t sink_released(const struct sink *sink, uint16_t cpu)
{
    return sink->ops->released(sink, cpu);
}

/* Send what can be sent, process acknowledgements and commands, and retransmit after timeouts. */
void sink_poll(struct sink *sink);

/* Is anything waiting or unacknowledged? A snapshot, taken without the lock. While it is true, poll frequently. */
static inline bool sink_busy(const struct sink *sink)
{
    return sink->ops->busy(sink);
}

/* Wait until everything of all CPUs is delivered: acknowledged, or shifted out of the UART. false: the timeout expired.
 */
bool sink_drain(struct sink *sink, uint64_t timeout_tsc);

/* The same, without limit as long as there is progress: at least sink_least bytes (sink_cut.h) in the time of the
 * timeout. false: there was none. */
bool sink_drain_all(struct sink *sink, uint64_t timeout_tsc);

/* The same for the last records: everything else is delivered, so that no more than an answer may be missing. It waits
 * for end_tsc without any answer, or for the timeout if that is 0. */
bool sink_drain_end(struct sink *sink, uint64_t timeout_tsc);

/* Break the lock if it is not released within ticks. For a CPU that stops because of a fault: the lock may be held by a
 * CPU that has died in the sink, or by itself. */
void sink_unlock_dead(struct sink *sink, uint64_t ticks);

/* The received commands, which each CPU executes: as in serial/wire/command.h, with locking. */
bool sink_command_waits(struct sink *sink, uint32_t cursor);
enum command_found sink_command_at(struct sink *sink, uint32_t cursor, struct command *command);
void sink_command_done(struct sink *sink, uint32_t cursor);

#endif
