#include "decode/engine/timed.h"

/* What is proven from now on. */
static void set_tsc_error(struct engine *engine)
{
    const struct engine_clock *clock = &engine->clock;
    const uint64_t low = engine->timed.low;
    uint64_t error = FLOW_TSC_ERROR_UNKNOWN;
    if (low != 0 && clock->high != ENGINE_CLOCK_NEVER) {
        const uint64_t late = clock->tsc > low ? clock->tsc - low : 0;
        const uint64_t early = clock->high > clock->tsc ? clock->high - clock->tsc : 0;
        error = late > early ? late : early;
    }
    engine->executed.context.tsc_error = error;
}

void timed_begin(struct engine *engine)
{
    engine->timed = (struct timed){0};
    engine->executed.context.tsc_error = FLOW_TSC_ERROR_UNKNOWN;
}

void timed_take(struct engine *engine, struct packet *packet)
{
    struct engine_clock *clock = &engine->clock;
    if (!(engine->needs & FLOW_NEED_TIME))
        return;
    const uint64_t low = clock->low, high = clock->high;
    engine_clock_convert(clock, packet, engine->packet);
    const bool changed = engine_clock_take(clock, packet);
    if (!changed && packet->kind != PT_PACKET_TSC && packet->kind != PT_PACKET_MTC && packet->kind != PT_PACKET_CYC)
        return;
    engine_clock_bound(clock, engine->at, engine->end, engine->stretch->end_tsc);
    if (!changed && clock->low == low && clock->high == high)
        return;
    executed_flush(&engine->executed);
    engine->executed.context.tsc = clock->tsc;
    engine->timed.unsettled = true;
    set_tsc_error(engine);
}

void timed_proved(struct engine *engine, bool exact)
{
    struct timed *timed = &engine->timed;
    const uint64_t now = engine->clock.low, low = exact ? now : timed->before;
    timed->before = now;
    timed->unsettled = low != now;
    if (low == timed->low)
        return;
    executed_flush(&engine->executed);
    timed->low = low;
    set_tsc_error(engine);
}
