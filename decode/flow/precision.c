#include "decode/flow/precision.h"

#include <stdio.h>

#include "decode/capture/gaps.h"
#include "decode/capture/psb.h"
#include "decode/engine/clock.h"
#include "decode/flow/flow_trace.h"
#include "pt/packet/packet.h"

#define SAMPLES 64u
#define MOST_BYTES (256u << 10) /* of a sample */
#define POWERS 64u

/* How many packets have so many bits in the distance. */
struct distances {
    uint64_t count[POWERS + 1], all;
};

static bool reports_branches(enum packet_kind kind)
{
    return kind == PT_PACKET_TNT_8 || kind == PT_PACKET_TNT_64 || kind == PT_PACKET_TIP;
}

static void add(struct distances *distances, uint64_t ticks, uint64_t packets)
{
    distances->count[ticks > 1 ? POWERS - (unsigned)__builtin_clzll(ticks - 1) : 0] += packets;
    distances->all += packets;
}

/* From a PSB on: packets between two times of the clock. */
static void read_sample(struct distances *distances, const struct flow_input *input, const uint8_t *bytes,
                        uint64_t size)
{
    enum packet_block block = PACKET_BLOCK_NONE;
    struct engine_clock clock = {0};
    struct packet packet;
    uint64_t last = 0, packets = 0;
    int length;
    engine_clock_begin(&clock, input->cpuid_15_ebx, input->cpuid_15_eax, input->mtc_freq);
    for (uint64_t at = 0; (length = packet_parse_next(&packet, bytes + at, (size_t)(size - at), &block)) > 0;
         at += (uint64_t)length) {
        packets += reports_branches(packet.kind);
        if (packet.kind == PT_PACKET_OVF)
            engine_clock_overflow(&clock);
        if (!engine_clock_take(&clock, &packet))
            continue;
        if (last && clock.tsc > last)
            add(distances, clock.tsc - last, packets);
        last = clock.tsc;
        packets = 0;
    }
}

/* A part of the samples, in proportion to its bytes, of a run of `all` bytes of this CPU. */
static void read_run(struct distances *distances, const struct flow_input *input, const uint8_t *bytes, uint64_t size,
                     uint64_t all)
{
    const uint64_t step = all / SAMPLES + 1;
    for (uint64_t from = 0, done = 0; from < size; from += step) {
        const uint64_t psb = psb_next(bytes, size, from > done ? from : done);
        if (psb == PSB_NONE)
            return;
        const uint64_t left = size - psb, part = left < MOST_BYTES ? left : MOST_BYTES;
        read_sample(distances, input, bytes + psb, part);
        done = psb + part;
    }
}

/* Gaps of a known size are not read: there can be gigabytes of zeros. */
static void read_cpu(struct distances *distances, const struct flow_input *input, const struct capture *capture,
                     uint16_t cpu)
{
    const struct capture_trace *trace = &capture->cpus[cpu];
    struct gaps gaps;
    struct error error = {0};
    uint64_t present = 0;
    if (!gaps_collect(&gaps, capture, cpu, &error))
        return;
    for (struct gaps_run run = {0}; gaps_next_run(&run, &gaps, trace->size);)
        present += run.end - run.begin;
    for (struct gaps_run run = {0}; gaps_next_run(&run, &gaps, trace->size);)
        read_run(distances, input, trace->bytes + run.begin, run.end - run.begin, present);
    gaps_free(&gaps);
}

/* The least power of two that so many tenths of the packets do not exceed. */
static uint64_t find_tenths(const struct distances *distances, uint64_t tenths)
{
    uint64_t sum = 0;
    for (unsigned bits = 0; bits < POWERS; bits++)
        if ((sum += distances->count[bits]) * 10 >= distances->all * tenths)
            return 1ull << bits;
    return UINT64_MAX;
}

struct precision precision_of(const struct capture *capture)
{
    struct distances distances = {.all = 0};
    struct flow_input input = {.cpu_known = false};
    flow_trace_clocks(&input, capture->hello);
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (capture->cpus[cpu].present)
            read_cpu(&distances, &input, capture, (uint16_t)cpu);
    if (distances.all == 0)
        return (struct precision){0};
    return (struct precision){find_tenths(&distances, 5), find_tenths(&distances, 9)};
}

/* Two digits or three. */
static const char *time_text(char text[32], uint64_t ticks, uint64_t khz)
{
    const double seconds = (double)ticks / (double)khz / 1000;
    if (seconds >= 1e-3)
        snprintf(text, 32, "%.*f ms", seconds < 1e-2, seconds * 1e3);
    else if (seconds >= 1e-6)
        snprintf(text, 32, "%.*f us", seconds < 1e-5, seconds * 1e6);
    else
        snprintf(text, 32, "%.0f ns", seconds * 1e9);
    return text;
}

const char *precision_text(char text[PRECISION_TEXT_SIZE], const struct precision *precision, uint64_t khz)
{
    char half[32], tenths[32];
    text[0] = '\0';
    if (precision->tenths && khz)
        snprintf(text, PRECISION_TEXT_SIZE, "half of the branches within %s, nine tenths within %s",
                 time_text(half, precision->half, khz), time_text(tenths, precision->tenths, khz));
    return text;
}
