/* Kind: core, hot */
/* Serializes the callers of a sink. No CPU waits for room while it holds the lock. */
#include "serial/wire/sink.h"

#include "serial/wire/sink_cut.h"

/* Lock the sink, unless there is only one CPU: a PMI takes the lock four times. Returns the ticket. */
static inline uint32_t sink_take(struct sink *sink)
{
    return sink->nr_cpus > 1 ? lock_take(&sink->lock) : 0;
}

static inline void sink_give(struct sink *sink, uint32_t ticket)
{
    if (sink->nr_cpus > 1) {
        lock_release(&sink->lock, ticket);
    }
}

/* There was no room: poll, and let other CPUs have the lock. */
static __attribute__((noinline)) void wait_for_room(struct sink *sink, uint16_t cpu)
{
    sink_poll(sink);
    sink_wait(sink, cpu);
    __builtin_ia32_pause();
}

void sink_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    for (;;) {
        const uint32_t ticket = sink_take(sink);
        const bool taken = sink->ops->trace(sink, cpu, offset, va, pa, size);

        sink_give(sink, ticket);
        if (taken) {
            return;
        }
        wait_for_room(sink, cpu);
    }
}

void sink_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    for (;;) {
        const uint32_t ticket = sink_take(sink);
        const bool taken = sink->ops->record(sink, cpu, pieces, nr);

        sink_give(sink, ticket);
        if (taken) {
            return;
        }
        wait_for_room(sink, cpu);
    }
}

void sink_poll(struct sink *sink)
{
    const uint32_t ticket = sink_take(sink);

    sink->ops->poll(sink);
    sink_give(sink, ticket);
}

bool sink_drain(struct sink *sink, uint64_t timeout_tsc)
{
    const uint64_t start = __builtin_ia32_rdtsc();

    for (;;) {
        const uint32_t ticket = sink_take(sink);
        const bool delivered = sink->ops->delivered(sink);

        sink_give(sink, ticket);
        if (delivered) {
            return true;
        }
        if (__builtin_ia32_rdtsc() - start >= timeout_tsc) {
            return false;
        }
        __builtin_ia32_pause();
    }
}

/* Bytes delivered so far. */
static uint64_t delivered_bytes(const struct sink *sink)
{
    uint64_t sum = 0;

    if (sink->cut != NULL) {
        return *sink->cut->arrived;
    }
    for (uint16_t cpu = 0; cpu < sink->nr_cpus; cpu++) {
        sum += sink_released(sink, cpu);
    }
    return sum;
}

static bool drain_while(struct sink *sink, uint64_t timeout_tsc, uint64_t least)
{
    uint64_t before;

    do {
        before = delivered_bytes(sink);
        if (sink_drain(sink, timeout_tsc)) {
            return true;
        }
    } while (delivered_bytes(sink) - before >= least);
    return false;
}

bool sink_drain_all(struct sink *sink, uint64_t timeout_tsc)
{
    return drain_while(sink, timeout_tsc, sink_least(sink, timeout_tsc));
}

bool sink_drain_end(struct sink *sink, uint64_t timeout_tsc)
{
    return drain_while(sink, sink->end_tsc != 0 && sink->end_tsc < timeout_tsc ? sink->end_tsc : timeout_tsc, 1);
}

void sink_unlock_dead(struct sink *sink, uint64_t ticks)
{
    lock_release(&sink->lock, lock_take_by_force(&sink->lock, ticks));
}

bool sink_command_waits(struct sink *sink, uint32_t cursor)
{
    const struct command_box *box = sink->ops->commands(sink);

    return box != NULL && command_waits(box, cursor);
}

enum command_found sink_command_at(struct sink *sink, uint32_t cursor, struct command *command)
{
    const struct command_box *box = sink->ops->commands(sink);

    if (box == NULL) {
        return COMMAND_NONE;
    }

    const uint32_t ticket = sink_take(sink);
    const enum command_found found = command_at(box, cursor, command);

    sink_give(sink, ticket);
    return found;
}

void sink_command_done(struct sink *sink, uint32_t cursor)
{
    const uint32_t ticket = sink_take(sink);

    command_done(sink->ops->commands(sink), cursor);
    sink_give(sink, ticket);
}
