#include "decode/flow/flow_cut.h"

#include "decode/capture/psb.h"
#include "pt/packet.h"

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

bool flow_cut_boundary(uint64_t *ip, const uint8_t *trace, uint64_t size, uint64_t psb)
{
    struct packet packet;
    int length;
    for (uint64_t at = psb; at < size; at += (uint64_t)length) {
        length = packet_parse(&packet, trace + at, (size_t)(size - at));
        if (length <= 0 || packet.kind == PT_PACKET_PSBEND || packet.kind == PT_PACKET_OVF)
            return false;
        /* PSB clears the last IP, so the FUP's is whole. */
        if (packet.kind == PT_PACKET_FUP)
            return pt_ip_expand(ip, (enum pt_ip_bytes)packet.ip_bytes, packet.ip, 0);
    }
    return false;
}

bool flow_cut_next(struct flow_stretch *stretch, const uint8_t *trace, uint64_t size, uint64_t from, uint64_t gap_at)
{
    uint64_t begin = psb_next(trace, size, from);
    if (begin == PSB_NONE)
        return false;
    uint64_t next = psb_next(trace, size, begin + 16);
    *stretch = (struct flow_stretch){.begin = begin, .end = next == PSB_NONE ? size : next};
    stretch->tsc = flow_cut_tsc(trace, size, begin);
    /* At a gap the next PSB+ says where execution stood afterwards: no boundary. */
    if (begin < gap_at && gap_at <= stretch->end)
        stretch->end = gap_at;
    else if (next != PSB_NONE)
        /* A gap within the next PSB+ cuts it off: what stands behind tells of another place. */
        stretch->has_boundary_ip = flow_cut_boundary(&stretch->boundary_ip, trace, gap_at < size ? gap_at : size, next);
    return true;
}
