/* Kind: shell, hot */
/* Records: stamped with the trace offset and the TSC, and given to the sink; and polling the sink. */
#include "base/msr.h"
#include "base/trace_clock.h"
#include "pt/engine_state.h"

/* Record heads up to this size, which includes all of fixed layout, go to the sink in one piece with the header. */
#define SHORT_HEAD_BYTES 48u

/* Bytes that this CPU has written up to now. Inlined into pt_record, which needs it for each record. */
static inline __attribute__((always_inline)) uint64_t trace_offset(struct pt_engine *pt)
{
    if (!pt->tracing)
        return 0;
    if (!pt->offset_current) {
        struct plan_snapshot snapshot;
        pt_registers_read(pt, false, &snapshot);
        if (!pt->out.scheme->update(&pt->out, &snapshot))
            pt->drain_due = true; /* the drain will report what is wrong */
        pt->offset_current = true;
    }
    return pt->out.written;
}

uint64_t pt_offset(struct pt_engine *pt)
{
    return trace_offset(pt);
}

/* While the CPU is parked another one may call pt_record for it. */
static __attribute__((cold, noinline)) uint64_t own_tsc(const struct pt_engine *pt)
{
    return trace_clock_here() + trace_clock_cpus[pt->cpu].ahead;
}

void pt_record(struct pt_engine *pt, enum record_kind kind, const void *head, uint32_t head_size, const void *body,
               uint32_t body_size)
{
    static const uint8_t zeros[8];
    uint32_t length = head_size + body_size;
    uint32_t short_size = head_size <= SHORT_HEAD_BYTES ? head_size : 0;
    struct {
        struct record_header header;
        uint8_t head[SHORT_HEAD_BYTES];
    } start;

    start.header = (struct record_header){
        .kind = (uint16_t)kind,
        .cpu = pt->cpu,
        .length = length,
        .trace_offset = trace_offset(pt),
        .tsc = __builtin_expect(trace_clock_differs, false) ? own_tsc(pt) : tsc_read(),
    };
    __builtin_memcpy(start.head, head, short_size);

    /* In one call: another CPU's log record may come between two records of CPU 0, but not into one. */
    struct sink_piece pieces[4];
    uint32_t nr = 0;
    pieces[nr++] = (struct sink_piece){&start, (uint32_t)sizeof(start.header) + short_size};
    if (head_size > short_size)
        pieces[nr++] = (struct sink_piece){head, head_size};
    if (body_size != 0)
        pieces[nr++] = (struct sink_piece){body, body_size};
    if (length % 8 != 0)
        pieces[nr++] = (struct sink_piece){zeros, -length % 8};
    sink_record(pt->sink, pt->cpu, pieces, nr);
    pt->poll_due = true;
    pt->totals.records++;
}

void pt_seen(struct pt_engine *pt, uint64_t number)
{
    const struct record_seen seen = {.number = number};
    pt_record(pt, RECORD_SEEN, &seen, sizeof(seen), NULL, 0);
}

void pt_clock_record(struct pt_engine *pt, uint32_t flags)
{
    const struct trace_clock_cpu *clock = &trace_clock_cpus[pt->cpu];
    const struct record_clock record = {.ahead = clock->ahead, .error = clock->error, .flags = flags};
    pt_record(pt, RECORD_CLOCK, &record, sizeof(record), NULL, 0);
}

/* Times that are kept are by the new TSC as well, so that differences remain right. */
void pt_clock_moved(struct pt_engine *pt, uint64_t change, uint32_t error)
{
    pt->pause.tsc_from += change;
    pt->entered_tsc += change;
    pt->checked_tsc += change;
    pt->unsent_tsc += change;
    pt->polled_tsc += change;
    trace_clock_move(pt->cpu, change, error);
    pt_clock_record(pt, RECORD_CLOCK_WRITTEN);
}

void pt_poll(struct pt_engine *pt)
{
    sink_poll(pt->sink);
    if (sink_command_waits(pt->sink, pt->commands_done))
        pt->command_pending = true;
    pt->poll_due = false;
    pt->polled_tsc = tsc_read();
}
