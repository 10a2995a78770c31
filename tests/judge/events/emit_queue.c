#include "tests/judge/events/emit_queue.h"

void emit_now(struct events *events, struct flow_event event)
{
    struct engine *engine = events->engine;
    event.at = (uint64_t)(engine->packet - engine->input->trace);
    events_deliver_all(events);
    events->sink.event(events->sink.context, &event);
}

void emit_now_at(struct events *events, struct flow_event event, bool known, uint64_t ip)
{
    event.ip_known = known;
    event.ip = known ? ip : 0;
    emit_now(events, event);
}

void emit_later(struct events *events, enum emit_wait wait, struct flow_event event)
{
    struct emit *emit = &events->emit;
    if (emit->nr_waiting < EMIT_MOST_WAITING)
        emit->waiting[emit->nr_waiting++] = (struct emit_waiting){wait, event};
    else
        emit_now_at(events, event, false, 0);
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

void emit_waiting_at(struct events *events, unsigned waits, bool known, uint64_t ip)
{
    struct flow_event event = {0};
    while (emit_take_waiting(&events->emit, waits, &event))
        emit_now_at(events, event, known, ip);
}

/* VMCS comes before the PIP that came with it. */
void emit_vmcs_later(struct events *events, struct flow_event event)
{
    struct emit *emit = &events->emit;
    emit_later(events, WAIT_FOR_TIP, event);
    for (unsigned i = emit->nr_waiting; i-- > 1;) {
        struct emit_waiting *here = &emit->waiting[i], *before = here - 1;
        if (here->event.kind != FLOW_EVENT_VMCS || before->event.kind != FLOW_EVENT_PAGING)
            break;
        const struct emit_waiting paging = *before;
        *before = *here;
        *here = paging;
    }
}
