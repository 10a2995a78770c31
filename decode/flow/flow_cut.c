#include "decode/flow/flow_cut.h"

#include "decode/capture/psb.h"
#include "pt/packet/packet.h"

uint64_t flow_cut_tsc(const uint8_t *trace, uint64_t size, uint64_t psb)
{
    struct packet packet;
    int length;
    for (uint64_t at = psb; at < size; at += (uint64_t)length) {
        length = packet_parse(&packet, trace + at, (size_t)(size - at));
        if (length <= 0 || packet.kind == PT_PACKET_PSBEND || packet.kind == PT_PACKET_OVF)
            break;
        if (packet.kind == PT_PACKET_TSC)
            return packet.payload;
    }
    return 0;
}

enum flow_end flow_cut_boundary(uint64_t *ip, const uint8_t *trace, uint64_t size, uint64_t psb)
{
    struct packet packet;
    int length;
    for (uint64_t at = psb; at < size; at += (uint64_t)length) {
        length = packet_parse(&packet, trace + at, (size_t)(size - at));
        if (length <= 0 || packet.kind == PT_PACKET_OVF)
            return FLOW_ENDS_AT_PSB;
        if (packet.kind == PT_PACKET_PSBEND)
            return FLOW_ENDS_AT_PSB_OFF;
        /* PSB clears the last IP, so the FUP's is whole. */
        if (packet.kind == PT_PACKET_FUP)
            return pt_ip_expand(ip, (enum pt_ip_bytes)packet.ip_bytes, packet.ip, 0) ? FLOW_ENDS_AT_PSB_IP
                                                                                     : FLOW_ENDS_AT_PSB;
    }
    return FLOW_ENDS_AT_PSB;
}

bool flow_cut_next(struct flow_stretch *stretch, const uint8_t *trace, uint64_t size, const struct flow_span *span,
                   uint64_t from)
{
    uint64_t begin = psb_next(trace, span->end, from);
    if (begin == PSB_NONE)
        return false;
    uint64_t next = psb_next(trace, span->end, begin + PSB_BYTES);
    *stretch = (struct flow_stretch){.begin = begin, .end = next == PSB_NONE ? span->end : next};
    stretch->tsc = flow_cut_tsc(trace, stretch->end, begin);
    if (next != PSB_NONE)
        stretch->end_tsc = flow_cut_tsc(trace, span->end, next);
    if (next != PSB_NONE)
        stretch->ends = flow_cut_boundary(&stretch->boundary_ip, trace, span->end, next);
    else
        stretch->ends = span->end < size ? FLOW_ENDS_AT_GAP : FLOW_ENDS_WITH_TRACE;
    return true;
}
