/* The way to the sink: records, stamped with the place in the trace and the time; and letting it work. Shell. */
#include "pt/engine_state.h"
#include "pt/msr.h"
#include "serial/command.h"

/* Heads of this size and less, all of a fixed layout among them, go to the sink together with the record's header. */
#define SHORT_HEAD_BYTES 40u

/* Bytes that this CPU has written up to now. */
static uint64_t trace_offset(struct pt_engine *pt)
{
    if (!pt->tracing)
        return 0;
    if (!pt->taken) {
        struct plan_snapshot snapshot = pt_registers_read(pt, false);
        if (!pt->out.scheme->take(&pt->out, &snapshot))
            pt->drain_due = true; /* it says what is wrong */
        pt->taken = true;
    }
    return pt->out.written;
}

static void record_append(struct pt_engine *pt, const void *bytes, uint32_t size)
{
    if (size != 0)
        pt->sink->ops->record(pt->sink, pt->cpu, bytes, size);
}

void pt_record(struct pt_engine *pt, enum record_kind kind, const void *head, uint32_t head_size, const void *body,
               uint32_t body_size)
{
    static const uint8_t zeros[8];
    uint32_t length = head_size + body_size;
    uint32_t beside = head_size <= SHORT_HEAD_BYTES ? head_size : 0;
    struct {
        struct record_header header;
        uint8_t head[SHORT_HEAD_BYTES];
    } start;

    start.header = (struct record_header){
        .kind = (uint16_t)kind,
        .cpu = pt->cpu,
        .length = length,
        .trace_offset = trace_offset(pt),
        .tsc = tsc_read(),
    };
    __builtin_memcpy(start.head, head, beside);
    record_append(pt, &start, (uint32_t)sizeof(start.header) + beside);
    record_append(pt, (const uint8_t *)head + beside, head_size - beside);
    record_append(pt, body, body_size);
    record_append(pt, zeros, -length % 8);
    pt->unsent = true;
    pt->totals.records++;
}

void pt_poll(struct pt_engine *pt)
{
    const struct command_box *box;
    pt->sink->ops->poll(pt->sink);
    box = pt->sink->ops->commands(pt->sink);
    pt->command_waits = box && command_waits(box);
    pt->unsent = false;
    pt->polled_tsc = tsc_read();
}
