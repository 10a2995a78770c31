#include "tests/judge/text/ptxed_clock.h"

#include "decode/engine/errata.h"

static uint64_t tsc_of(const struct ptxed_clock *clock)
{
    return clock->time.tsc_known ? clock->time.tsc : 0;
}

void ptxed_clock_begin(struct ptxed_clock *clock, const struct flow_input *input, struct dump_time_setup setup)
{
    *clock = (struct ptxed_clock){.input = input, .setup = setup};
    clock->setup.numerator = input->cpuid_15_ebx;
    clock->setup.denominator = input->cpuid_15_eax;
    clock->setup.mtc_freq = input->mtc_freq;
    clock->setup.nom_freq = input->nominal_ratio;
    clock->setup.calibrated = true;
    clock->setup.skl168 = errata_of(input).skl168;
    dump_time_begin(&clock->time, &clock->setup);
}

/* Take the packets that begin before trace offset end. */
static void take_up_to(struct ptxed_clock *clock, uint64_t end)
{
    const struct flow_input *input = clock->input;
    while (clock->at < end) {
        struct packet packet;
        const int size = packet_parse(&packet, input->trace + clock->at, (size_t)(input->trace_size - clock->at));
        if (size <= 0)
            return;
        dump_time_take(&clock->time, &packet);
        clock->at += (uint64_t)size;
    }
}

void ptxed_clock_stretch(struct ptxed_clock *clock, uint64_t begin, bool restart)
{
    if (restart) {
        dump_time_begin(&clock->time, &clock->setup);
        clock->last_tsc = 0;
    } else {
        take_up_to(clock, begin);
    }
    if (restart || clock->at < begin) /* otherwise the PSB+ was taken already */
        clock->at = begin;
}

bool ptxed_clock_event(struct ptxed_clock *clock, struct flow_event *event)
{
    take_up_to(clock, event->at + 1);
    const uint64_t before = clock->last_tsc;
    event->tsc = clock->last_tsc = tsc_of(clock);
    return event->tsc != before;
}
