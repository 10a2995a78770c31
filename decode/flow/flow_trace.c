#include "decode/flow/flow_trace.h"

#include <stdlib.h>

#include "decode/flow/flow_cut.h"
#include "pt/rtit.h"

struct stretches {
    struct flow_stretch *items;
    size_t count, room;
};

static bool stretches_add(struct stretches *stretches, const struct flow_stretch *stretch)
{
    if (stretches->count == stretches->room) {
        size_t room = stretches->room ? stretches->room * 2 : 1024;
        struct flow_stretch *items = realloc(stretches->items, room * sizeof(*items));
        if (!items)
            return false;
        stretches->items = items;
        stretches->room = room;
    }
    stretches->items[stretches->count++] = *stretch;
    return true;
}

static bool cut_stretches(struct stretches *stretches, const struct capture_trace *trace, const struct gaps *gaps)
{
    uint64_t gap = gaps_next(gaps, 0);
    struct flow_stretch stretch = {0};
    while (flow_cut_next(&stretch, trace->bytes, trace->size, stretch.end, gap)) {
        if (!stretches_add(stretches, &stretch))
            return false;
        if (stretch.end >= gap)
            gap = gaps_next(gaps, stretch.end);
    }
    return true;
}

/* The CPU's model decides which errata the decoder expects. */
static void name_cpu(struct flow_input *input, struct record_text hello)
{
    uint64_t family, model, stepping;
    input->cpu_known = text_find_number(&family, hello, "cpu_family") && text_find_number(&model, hello, "cpu_model") &&
                       text_find_number(&stepping, hello, "cpu_stepping");
    if (!input->cpu_known)
        return;
    input->family = (uint16_t)family;
    input->model = (uint8_t)model;
    input->stepping = (uint8_t)stepping;
}

/* The IP ranges that tracing was confined to. */
static void name_ranges(struct flow_input *input, struct record_text hello)
{
    uint64_t ctl = 0;
    char name[] = "rtit_addr0_a";
    text_find_number(&ctl, hello, "rtit_ctl");
    input->range_kinds = ctl >> RTIT_CTL_ADDR0_CFG_SHIFT & 0xffff;
    for (unsigned i = 0; i < 8; i++) {
        name[9] = (char)('0' + i / 2);
        name[11] = i % 2 ? 'b' : 'a';
        text_find_number(&input->ranges[i], hello, name);
    }
}

/* What the timing packets count in. */
static void name_clocks(struct flow_input *input, struct record_text hello)
{
    uint64_t ctl = 0, eax = 0, ebx = 0;
    text_find_number(&ctl, hello, "rtit_ctl");
    text_find_number(&eax, hello, "cpuid_15_eax");
    text_find_number(&ebx, hello, "cpuid_15_ebx");
    input->mtc_freq = (uint8_t)(ctl >> RTIT_CTL_MTC_FREQ_SHIFT & 15);
    input->cpuid_15_eax = (uint32_t)eax;
    input->cpuid_15_ebx = (uint32_t)ebx;
}

bool flow_trace_open(struct flow_trace *trace, const struct capture *capture, uint16_t cpu, struct error *error)
{
    struct stretches stretches = {0};
    struct record_text way;
    *trace = (struct flow_trace){0};
    const struct capture_trace *bytes = capture_trace(capture, cpu, error);
    if (!bytes || !gaps_collect(&trace->gaps, capture, cpu, error) ||
        !code_pages_collect(&trace->pages, capture, cpu, error))
        return false;
    struct flow_input *input = &trace->input;
    *input = (struct flow_input){.trace = bytes->bytes, .trace_size = bytes->size, .pages = &trace->pages};
    input->guest_only = text_find(&way, capture->hello, "pt_switch") && !text_equals(way, "root");
    name_cpu(input, capture->hello);
    name_ranges(input, capture->hello);
    name_clocks(input, capture->hello);
    bool good = cut_stretches(&stretches, bytes, &trace->gaps);
    trace->stretches = stretches.items;
    trace->nr_stretches = stretches.count;
    trace->undecodable_bytes = stretches.count ? stretches.items[0].begin : bytes->size;
    return good || error_set(error, ERROR_MEMORY, 0, "the stretches of cpu%u.pt", cpu);
}

void flow_trace_close(struct flow_trace *trace)
{
    free(trace->stretches);
    gaps_free(&trace->gaps);
    code_pages_free(&trace->pages);
    *trace = (struct flow_trace){0};
}
