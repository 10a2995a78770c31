#include "decode/capture/cpu_clock.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define TSC_PACKET_BITS ((1ull << 56) - 1)

bool cpu_clock_take(struct cpu_clock *clock, const struct record_header *header, const uint8_t *payload)
{
    struct record_clock record;
    if (header->kind != RECORD_CLOCK || header->length < sizeof(record))
        return true;
    memcpy(&record, payload, sizeof(record));
    void *items = clock->steps;
    struct cpu_clock_step *step = list_add(&items, &clock->count, &clock->room, sizeof(*step));
    clock->steps = items;
    if (!step)
        return false;
    /* Damaged records may have any offset: keep the order. */
    const uint64_t before = clock->count > 1 ? step[-1].at : 0;
    *step = (struct cpu_clock_step){header->trace_offset > before ? header->trace_offset : before, record.ahead,
                                    record.error, record.flags & RECORD_CLOCK_WRITTEN};
    return true;
}

void cpu_clock_free(struct cpu_clock *clock)
{
    free(clock->steps);
    *clock = (struct cpu_clock){0};
}

uint64_t cpu_clock_time(const struct cpu_clock *clock, uint64_t at, uint64_t payload)
{
    if (!clock || payload == 0)
        return payload;
    const size_t after = LIST_AFTER(clock->steps, clock->count, struct cpu_clock_step, at, at);
    return after > 0 ? (payload - clock->steps[after - 1].ahead) & TSC_PACKET_BITS : payload;
}
