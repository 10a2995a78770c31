/* Records: stamped with the place in the trace and the time, and given to the sink. Shell. */
#include "pt/cpu.h"
#include "pt/msr.h"
#include "pt/stage.h"

static void give(void *context, const void *bytes, uint32_t size)
{
    const struct pt_cpu *pt = context;
    pt->sink->ops->record(pt->sink, pt->cpu, bytes, size);
}

/* Bytes that this CPU has written up to now. TraceEn is clear, so the registers hold. */
static uint64_t trace_offset(struct pt_cpu *pt)
{
    if (!pt->tracing)
        return 0;
    struct plan_snapshot snapshot = pt_registers_read(pt, false);
    if (!pt->out.scheme->take(&pt->out, &snapshot))
        pt->pmi_pending = true; /* the drain says what is wrong */
    return pt->out.written;
}

void pt_record(struct pt_cpu *pt, enum record_kind kind, const void *head, uint32_t head_size, const void *body,
               uint32_t body_size)
{
    struct record_header header = {
        .kind = (uint16_t)kind,
        .cpu = pt->cpu,
        .length = head_size + body_size,
        .trace_offset = trace_offset(pt),
        .tsc = tsc_read(),
    };
    struct stage stage; /* its bytes need no zeros */
    stage.give = give;
    stage.context = pt;
    stage.used = 0;
    stage_put(&stage, &header, sizeof(header));
    stage_put(&stage, head, head_size);
    stage_put(&stage, body, body_size);
    stage_finish(&stage);
    pt->totals.records++;
}
