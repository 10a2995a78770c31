#include "decode/engine/emit_queue.h"

void emit_now(struct engine *engine, struct flow_event event)
{
    event.tsc = engine->clock.tsc;
    event.at = (uint64_t)(engine->packet - engine->input->trace);
    executed_event(&engine->executed, &event);
}

void emit_now_at(struct engine *engine, struct flow_event event, bool known, uint64_t ip)
{
    event.ip_known = known;
    event.ip = known ? ip : 0;
    emit_now(engine, event);
}

void emit_later(struct engine *engine, enum emit_wait wait, struct flow_event event)
{
    struct emit *emit = &engine->emit;
    if (emit->nr_waiting < EMIT_MOST_WAITING)
        emit->waiting[emit->nr_waiting++] = (struct emit_waiting){wait, event};
    else
        emit_now_at(engine, event, false, 0);
}

bool emit_waits(const struct emit *emit, unsigned waits)
{
    for (unsigned i = 0; i < emit->nr_waiting; i++)
        if (waits >> emit->waiting[i].wait & 1)
            return true;
    return false;
}

bool emit_take_waiting(struct emit *emit, unsigned waits, struct flow_event *event)
{
    for (unsigned i = 0; i < emit->nr_waiting; i++) {
        if (!(waits >> emit->waiting[i].wait & 1))
            continue;
        *event = emit->waiting[i].event;
        for (emit->nr_waiting--; i < emit->nr_waiting; i++)
            emit->waiting[i] = emit->waiting[i + 1];
        return true;
    }
    return false;
}

void emit_waiting_at(struct engine *engine, unsigned waits, bool known, uint64_t ip)
{
    struct flow_event event = {0};
    while (emit_take_waiting(&engine->emit, waits, &event))
        emit_now_at(engine, event, known, ip);
}

/* VMCS comes before the PIP that came with it. */
void emit_vmcs_later(struct engine *engine, struct flow_event event)
{
    struct emit *emit = &engine->emit;
    emit_later(engine, WAIT_FOR_TIP, event);
    for (unsigned i = emit->nr_waiting; i-- > 1;) {
        struct emit_waiting *here = &emit->waiting[i], *before = here - 1;
        if (here->event.kind != FLOW_EVENT_VMCS || before->event.kind != FLOW_EVENT_PAGING)
            break;
        const struct emit_waiting paging = *before;
        *before = *here;
        *here = paging;
    }
}
