#include "decode/flow/flow_trace.h"

#include <stdlib.h>

#include "decode/capture/capture_map.h"
#include "decode/capture/list.h"
#include "pt/rtit.h"

#define PASS_BYTES (1u << 20)
#define BUS_MHZ 100u /* since Sandy Bridge */

static bool add_stretch(struct flow_trace *trace, const struct flow_stretch *stretch)
{
    void *items = trace->stretches;
    struct flow_stretch *place = list_add(&items, &trace->nr_stretches, &trace->stretches_room, sizeof(*place));
    trace->stretches = items;
    if (place)
        *place = *stretch;
    return place != NULL;
}

bool flow_lost_add(struct flow_lost *lost, struct flow_span span)
{
    void *items = lost->spans;
    struct flow_span *place = list_add(&items, &lost->count, &lost->room, sizeof(*place));
    lost->spans = items;
    if (place)
        *place = span;
    return place != NULL;
}

bool flow_lost_take(struct flow_lost *lost, const struct flow_cursor *cursor)
{
    lost->bytes += cursor->lost.end - cursor->lost.begin;
    return !cursor->lost_has_branches || flow_lost_add(lost, cursor->lost);
}

bool flow_trace_cut(struct flow_trace *trace)
{
    struct flow_cursor cursor;
    enum flow_found found;
    uint64_t passed = 0;
    bool good = true;
    flow_trace_cursor(&cursor, trace, flow_part(trace->input.trace_size, 0, 0));
    while (good && (found = flow_cursor_next(&cursor)) != FLOW_FOUND_NOTHING) {
        good = found == FLOW_FOUND_LOST ? flow_lost_take(&trace->lost, &cursor) : add_stretch(trace, &cursor.stretch);
        flow_trace_pass(trace, &passed, cursor.at);
    }
    return good;
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

void flow_trace_clocks(struct flow_input *input, struct record_text hello)
{
    uint64_t ctl = 0, eax = 0, ebx = 0, base = 0;
    text_find_number(&ctl, hello, "rtit_ctl");
    text_find_number(&base, hello, "cpuid_16_eax");
    text_find_number(&eax, hello, "cpuid_15_eax");
    text_find_number(&ebx, hello, "cpuid_15_ebx");
    input->returns_whole = (ctl & RTIT_CTL_DIS_RETC) != 0;
    input->mtc_freq = (uint8_t)(ctl >> RTIT_CTL_MTC_FREQ_SHIFT & 15);
    input->cpuid_15_eax = (uint32_t)eax;
    input->cpuid_15_ebx = (uint32_t)ebx;
    input->nominal_ratio = (uint8_t)((base & 0xffff) / BUS_MHZ);
}

bool flow_trace_open_uncut(struct flow_trace *trace, const struct capture *capture, uint16_t cpu, struct error *error)
{
    struct record_text way;
    *trace = (struct flow_trace){0};
    const struct capture_trace *bytes = capture_trace(capture, cpu, error);
    if (!bytes || !gaps_collect(&trace->gaps, capture, cpu, error) ||
        !code_pages_collect(&trace->pages, capture, cpu, error))
        return false;
    trace->mapped = true;
    struct flow_input *input = &trace->input;
    *input = (struct flow_input){
        .trace = bytes->bytes, .trace_size = bytes->size, .pages = &trace->pages, .clock = &capture->clocks[cpu]};
    input->guest_only = text_find(&way, capture->hello, "pt_switch") && !text_equals(way, "root");
    name_cpu(input, capture->hello);
    name_ranges(input, capture->hello);
    flow_trace_clocks(input, capture->hello);
    return true;
}

bool flow_trace_open(struct flow_trace *trace, const struct capture *capture, uint16_t cpu, struct error *error)
{
    return flow_trace_open_uncut(trace, capture, cpu, error) &&
           (flow_trace_cut(trace) || error_set(error, ERROR_MEMORY, 0, "the stretches of cpu%u.pt", cpu));
}

void flow_trace_cursor(struct flow_cursor *cursor, const struct flow_trace *trace, struct flow_part part)
{
    flow_cursor_begin(cursor, trace->input.trace, trace->input.trace_size, &trace->gaps, part);
    cursor->clock = trace->input.clock;
}

void flow_trace_pass(const struct flow_trace *trace, uint64_t *passed, uint64_t at)
{
    if (!trace->mapped || at < *passed + PASS_BYTES)
        return;
    capture_map_pass(trace->input.trace, *passed, at);
    *passed = at;
}

void flow_trace_close(struct flow_trace *trace)
{
    free(trace->stretches);
    flow_lost_free(&trace->lost);
    gaps_free(&trace->gaps);
    code_pages_free(&trace->pages);
    *trace = (struct flow_trace){0};
}

void flow_lost_free(struct flow_lost *lost)
{
    free(lost->spans);
    *lost = (struct flow_lost){0};
}
