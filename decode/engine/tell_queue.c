#include "decode/engine/tell_queue.h"

void tell_now(struct engine *engine, struct flow_event event)
{
    event.tsc = engine->clock.tsc;
    event.at = (uint64_t)(engine->packet - engine->input->trace);
    executed_event(&engine->executed, &event);
}

void tell_now_at(struct engine *engine, struct flow_event event, bool known, uint64_t ip)
{
    event.ip_known = known;
    event.ip = known ? ip : 0;
    tell_now(engine, event);
}

void tell_later(struct engine *engine, enum tell_wait wait, struct flow_event event)
{
    struct tell *tell = &engine->tell;
    if (tell->nr_waiting < TELL_MOST_WAITING)
        tell->waiting[tell->nr_waiting++] = (struct tell_waiting){wait, event};
    else
        tell_now_at(engine, event, false, 0);
}

bool tell_waits(const struct tell *tell, unsigned waits)
{
    for (unsigned i = 0; i < tell->nr_waiting; i++)
        if (waits >> tell->waiting[i].wait & 1)
            return true;
    return false;
}

bool tell_take_waiting(struct tell *tell, unsigned waits, struct flow_event *event)
{
    for (unsigned i = 0; i < tell->nr_waiting; i++) {
        if (!(waits >> tell->waiting[i].wait & 1))
            continue;
        *event = tell->waiting[i].event;
        for (tell->nr_waiting--; i < tell->nr_waiting; i++)
            tell->waiting[i] = tell->waiting[i + 1];
        return true;
    }
    return false;
}

void tell_waiting_at(struct engine *engine, unsigned waits, bool known, uint64_t ip)
{
    struct flow_event event = {0};
    while (tell_take_waiting(&engine->tell, waits, &event))
        tell_now_at(engine, event, known, ip);
}

/* VMCS stands before the PIP that came with it. */
void tell_vmcs_later(struct engine *engine, struct flow_event event)
{
    struct tell *tell = &engine->tell;
    tell_later(engine, TELL_FOR_TIP, event);
    for (unsigned i = tell->nr_waiting; i-- > 1;) {
        struct tell_waiting *here = &tell->waiting[i], *before = here - 1;
        if (here->event.kind != FLOW_EVENT_VMCS || before->event.kind != FLOW_EVENT_PAGING)
            break;
        const struct tell_waiting paging = *before;
        *before = *here;
        *here = paging;
    }
}
