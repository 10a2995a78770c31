#include "decode/query/code_space_at.h"

#include "pt/packet/packet.h"

uint64_t code_offset_at(const struct flow_trace *trace, uint64_t tsc)
{
    uint64_t at = 0;
    for (size_t i = 0; i < trace->nr_stretches && trace->stretches[i].tsc <= tsc; i++)
        if (trace->stretches[i].tsc)
            at = trace->stretches[i].begin;
    return at;
}

/* The last one in a stretch, before at. */
static uint64_t cr3_in(const struct flow_trace *trace, const struct flow_stretch *stretch, uint64_t at)
{
    const uint64_t end = stretch->end < at ? stretch->end : at;
    uint64_t cr3 = FLOW_CR3_UNKNOWN;
    enum packet_block block = PACKET_BLOCK_NONE;
    struct packet packet;
    int length;
    for (uint64_t i = stretch->begin; i < end; i += (uint64_t)length) {
        length = packet_parse_next(&packet, trace->input.trace + i, (size_t)(stretch->end - i), &block);
        if (length <= 0)
            break;
        if (packet.kind == PT_PACKET_PIP && (packet.non_root || trace->input.guest_only))
            cr3 = packet.cr3;
    }
    return cr3;
}

uint64_t code_cr3_at(const struct flow_trace *trace, uint64_t at)
{
    uint64_t cr3 = FLOW_CR3_UNKNOWN;
    for (size_t i = trace->nr_stretches; i > 0 && cr3 == FLOW_CR3_UNKNOWN; i--)
        if (trace->stretches[i - 1].begin < at)
            cr3 = cr3_in(trace, &trace->stretches[i - 1], at);
    return cr3;
}

uint64_t code_last_tsc(const struct flow_trace *trace)
{
    struct error error = {0};
    uint64_t tsc = 0;
    const struct flow_batch *batch;
    struct flow *flow = flow_start(&trace->input, FLOW_NEED_TIME, &error);
    for (size_t i = trace->nr_stretches; flow && i > 0 && tsc == 0; i--) {
        flow_begin(flow, &trace->stretches[i - 1]);
        while ((batch = flow_next(flow)))
            tsc = batch->context.tsc;
    }
    if (flow)
        flow_end(flow);
    return tsc;
}
