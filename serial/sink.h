/*
 * The sink: the one way in which the rest of the hypervisor gives bytes away. It does not know what they mean.
 *
 * A channel (serial/udp_sink.c, serial/uart_sink.c, serial/null_sink.c) fills in the operations. All run in root, on
 * the CPU that calls, one caller at a time; none blocks except drain and record where they say so.
 */
#ifndef SERIAL_SINK_H
#define SERIAL_SINK_H

#include <stdbool.h>
#include <stdint.h>

struct sink;
struct command_box;

struct sink_ops {
    const char *name;
    /* Hand over size bytes of the CPU's trace stream, starting at the stream's offset, contiguous in memory at va and
     * pa. Offsets only grow; a gap record for a hole comes first. The memory belongs to the sink until
     * released() has passed it. Never copies, never blocks: at most SINK_MAX_SPANS spans per CPU may be unreleased, the
     * caller keeps to that; spans that follow each other in memory and in the stream count as one. */
    void (*trace)(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size);
    /* Append size bytes to the CPU's record stream. Copies. Waits, pumping the wire, where the buffer
     * is full. As with trace, poll sends it. */
    void (*record)(struct sink *sink, uint16_t cpu, const void *bytes, uint32_t size);
    /* All of the CPU's trace bytes before the returned offset may be overwritten. */
    uint64_t (*released)(struct sink *sink, uint16_t cpu);
    /* Push what can be pushed, take in acknowledgements, send again what timed out. Returns at once. */
    void (*poll)(struct sink *sink);
    /* Wait until everything is delivered (acknowledged, or shifted out of the UART). false: given up after the timeout.
     */
    bool (*drain)(struct sink *sink, uint64_t timeout_tsc);
    /* The commands that poll has taken in (serial/command.h). NULL: on this channel nobody can send any. */
    struct command_box *(*commands)(struct sink *sink);
};

#define SINK_MAX_SPANS 128u

struct sink {
    const struct sink_ops *ops;
};

#endif
