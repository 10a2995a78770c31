/* Kind: core */
#include "serial/wire/sink_cut.h"

static bool discard_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    (void)sink, (void)cpu, (void)offset, (void)va, (void)pa, (void)size;
    return true;
}

static bool record_if_room(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    sink->cut->lost += !sink->cut->whole->record(sink, cpu, pieces, nr);
    return true;
}

void sink_cut_init(struct sink *sink, struct sink_cut *cut, uint64_t patience, const uint64_t *arrived,
                   uint64_t (*taken)(const struct sink *sink, uint16_t cpu))
{
    *cut = (struct sink_cut){.whole = sink->ops,
                             .ops = *sink->ops,
                             .patience = patience,
                             .usual = patience,
                             .hasty = patience,
                             .least = 1,
                             .arrived = arrived,
                             .taken = taken};
    cut->ops.trace = discard_trace;
    cut->ops.record = record_if_room;
    sink->cut = cut;
}

/* Move the box's tail, so that every CPU's cursor differs and each CPU calls the handler of commands, which notices the
 * cut. */
static void alert_all_cpus(struct sink *sink)
{
    struct command_box *box = sink->ops->commands(sink);

    if (box != NULL) {
        box->tail += 1u << 31;
    }
}

bool sink_cut_is_due(struct sink_cut *cut, uint16_t cpu, uint64_t now)
{
    struct sink_cut_wait *wait = &cut->waits[cpu];

    if (*cut->arrived != cut->seen) {
        cut->patience = cut->usual;
        cut->seen = *cut->arrived;
    }
    if (cut->seen - cut->counted >= cut->least) {
        cut->counted = cut->seen;
        cut->progress++;
    }
    if (wait->progress != cut->progress || now - wait->last > cut->patience / 8) {
        wait->progress = cut->progress;
        wait->since = now;
    }
    wait->last = now;
    return now - wait->since >= cut->patience;
}

__attribute__((cold, noinline)) void sink_wait(struct sink *sink, uint16_t cpu)
{
    if (sink->cut == NULL) {
        return;
    }
    const uint32_t ticket = lock_take(&sink->lock);

    if (!sink_is_cut(sink) && sink_cut_is_due(sink->cut, cpu, __builtin_ia32_rdtsc())) {
        sink->ops = &sink->cut->ops;
        alert_all_cpus(sink);
    }
    lock_release(&sink->lock, ticket);
}

void sink_hurry(struct sink *sink)
{
    struct sink_cut *cut = sink->cut;

    if (cut == NULL) {
        return;
    }
    const uint32_t ticket = lock_take(&sink->lock);

    cut->patience = cut->hasty;
    cut->seen = *cut->arrived;
    cut->progress++;
    lock_release(&sink->lock, ticket);
}

uint64_t sink_least(const struct sink *sink, uint64_t ticks)
{
    const struct sink_cut *cut = sink->cut;

    return cut == NULL || cut->least == 1 ? 1 : cut->least / 1024 * (ticks / 1024) / (cut->usual / 1024 + 1) * 1024 + 1;
}

uint64_t sink_patience(const struct sink *sink, uint64_t most)
{
    return sink->cut != NULL && sink->cut->patience < most ? sink->cut->patience : most;
}
