#include "decode/engine/segment.h"

#define MOST_AHEAD 65536u /* bytes between a far transfer and the VM exit at which its segment was recorded */

/* What follows a trace offset, up to the next VM entry. */
struct ahead {
    uint64_t entry; /* the trace offset of the VM entry's packet; UINT64_MAX: there is none */
    bool flow;      /* before the VM exit there are packets of which one may belong to a far transfer */
    bool at_once;   /* the last such packet leads to the VM exit: nothing was executed after it */
};

static struct ahead look_ahead(const struct flow_input *input, uint64_t at, uint64_t limit)
{
    const uint64_t end = input->trace_size - at < limit ? input->trace_size : at + limit;
    struct ahead ahead = {.entry = UINT64_MAX};
    enum packet_block block = PACKET_BLOCK_NONE;
    struct packet packet;
    uint64_t last_ip = 0, to = 0;
    bool exited = false, header = false;
    for (int size; at < end; at += (uint64_t)size) {
        size = packet_parse_next(&packet, input->trace + at, (size_t)(input->trace_size - at), &block);
        if (size <= 0 || packet.kind == PT_PACKET_OVF)
            return ahead;
        switch (packet.kind) {
        case PT_PACKET_TIP_PGE:
            ahead.entry = at;
            return ahead;
        case PT_PACKET_TIP_PGD:
            exited = true;
            break;
        case PT_PACKET_PIP:
            exited = exited || !packet.non_root; /* root operation is traced too */
            break;
        case PT_PACKET_TNT_8:
        case PT_PACKET_TNT_64:
            ahead.at_once = ahead.at_once && exited;
            break;
        case PT_PACKET_TIP:
            if (exited)
                break;
            pt_ip_expand(&last_ip, (enum pt_ip_bytes)packet.ip_bytes, packet.ip, last_ip);
            to = last_ip;
            ahead.flow = ahead.at_once = true;
            break;
        case PT_PACKET_FUP:
            if (exited)
                break;
            pt_ip_expand(&last_ip, (enum pt_ip_bytes)packet.ip_bytes, packet.ip, last_ip);
            ahead.at_once = ahead.at_once && (header || last_ip == to);
            break;
        case PT_PACKET_PSB:
            last_ip = 0;
            header = true;
            break;
        case PT_PACKET_PSBEND:
            header = false;
            break;
        default:
            break;
        }
    }
    return ahead;
}

static bool is_known(uint32_t *base, struct code_segment segment, enum instruction_mode mode)
{
    *base = segment.stepped ? segment.base : 0;
    return segment.stepped || mode == INSTRUCTION_32;
}

/* 16-bit code that was not stepped: does the next record cover it? */
static bool is_covered(uint32_t *base, struct code_segment now, const struct code_segment *next,
                       enum instruction_mode mode)
{
    if (!next || !next->sole || now.stepped || mode == INSTRUCTION_64)
        return false;
    *base = mode == INSTRUCTION_16 ? next->base : 0;
    return true;
}

bool segment_base_after(uint32_t *base, const struct flow_input *input, uint64_t at, enum instruction_mode mode)
{
    const struct code_segments *segments = &input->pages->segments;
    *base = 0;
    if (mode == INSTRUCTION_64 || !segments->recorded)
        return true;
    const struct code_segment now = code_segments_at(segments, at), *next = code_segments_after(segments, at);
    if (is_covered(base, now, next, mode))
        return true;
    if (!next || next->from - at > MOST_AHEAD)
        return is_known(base, now, mode);
    const struct ahead ahead = look_ahead(input, at, next->from - at + MOST_AHEAD);
    if (ahead.entry == UINT64_MAX || ahead.entry < next->from || next->loaded)
        return is_known(base, now, mode); /* the record is about what comes later */
    if (!ahead.flow)
        return is_known(base, code_segments_at(segments, ahead.entry), mode);
    /* Soft PT has no packets for the exits after single steps. */
    return (now.stepped || !next->stepped || ahead.at_once) && is_known(base, now, mode);
}

static enum flow_error take_ip(const struct engine *engine, bool known, enum instruction_mode mode, uint64_t *ip)
{
    if (!known)
        return FLOW_ERROR_SEGMENT;
    if (mode != INSTRUCTION_64 && engine->input->pages->segments.plain_ips)
        *ip = (uint32_t)(engine->cs_base + *ip);
    return FLOW_OK;
}

enum flow_error segment_arrive(struct engine *engine, bool far, enum instruction_mode mode, uint64_t *ip)
{
    const uint64_t at = (uint64_t)(engine->at - engine->input->trace);
    const bool known = !far || segment_base_after(&engine->cs_base, engine->input, at, mode);
    return take_ip(engine, known, mode, ip);
}

enum flow_error segment_enter(struct engine *engine, enum instruction_mode mode, uint64_t *ip)
{
    const uint64_t at = (uint64_t)(engine->at - engine->input->trace), left = engine->left.at;
    const struct code_segment segment = code_segments_at(&engine->input->pages->segments, at);
    bool known = true;
    engine->cs_base = 0;
    engine->left.at = UINT64_MAX;
    if (engine->input->pages->segments.recorded && left != UINT64_MAX && segment.from > left && !segment.loaded &&
        segment.base != engine->left.cs_base)
        return FLOW_ERROR_SEGMENT;
    if (mode != INSTRUCTION_64 && engine->input->pages->segments.recorded)
        known = is_known(&engine->cs_base, segment, mode) ||
                is_covered(&engine->cs_base, segment, code_segments_after(&engine->input->pages->segments, at), mode);
    return take_ip(engine, known, mode, ip);
}
