/* Kind: shell */
/* channel=none: a sink that discards everything. */
#include "serial/wire/null_sink.h"

#include "base/init.h"

struct null_sink {
    struct sink sink;
    uint64_t trace_end[]; /* per CPU: the end of its trace, all of which is released */
};

static struct null_sink *null_sink_of(struct sink *sink)
{
    return (struct null_sink *)sink;
}

static bool null_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    (void)va;
    (void)pa;
    null_sink_of(sink)->trace_end[cpu] = offset + size;
    return true;
}

static bool null_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    (void)sink;
    (void)cpu;
    (void)pieces;
    (void)nr;
    return true;
}

static uint64_t null_released(const struct sink *sink, uint16_t cpu)
{
    return ((const struct null_sink *)sink)->trace_end[cpu];
}

static void null_poll(struct sink *sink)
{
    (void)sink;
}

static bool null_delivered(struct sink *sink)
{
    (void)sink;
    return true;
}

static bool null_busy(const struct sink *sink)
{
    (void)sink;
    return false;
}

static struct command_box *null_commands(struct sink *sink)
{
    (void)sink;
    return NULL;
}

static const struct sink_ops null_ops = {.name = "none",
                                         .trace = null_trace,
                                         .record = null_record,
                                         .released = null_released,
                                         .poll = null_poll,
                                         .delivered = null_delivered,
                                         .busy = null_busy,
                                         .commands = null_commands};

INIT_CODE size_t null_sink_memory_bytes(uint16_t nr_cpus)
{
    return sizeof(struct null_sink) + nr_cpus * sizeof(uint64_t);
}

INIT_CODE struct sink *null_sink_init(void *memory, uint16_t nr_cpus)
{
    struct null_sink *null = memory;

    null->sink = (struct sink){.ops = &null_ops, .nr_cpus = nr_cpus};
    for (uint16_t cpu = 0; cpu < nr_cpus; cpu++) {
        null->trace_end[cpu] = 0;
    }
    return &null->sink;
}
