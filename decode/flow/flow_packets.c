#include "decode/flow/flow_packets.h"

#include "decode/engine/packet_rules.h"

static bool reports_branch(enum packet_kind kind)
{
    return kind == PT_PACKET_TNT_8 || kind == PT_PACKET_TNT_64 || kind == PT_PACKET_TIP || kind == PT_PACKET_TIP_PGD ||
           kind == PT_PACKET_FUP || kind == PT_PACKET_OVF;
}

static bool is_short_tnt(uint8_t byte)
{
    return byte >= 4 && (byte & 1) == 0;
}

/* The packets that make up nearly all of a trace need no parser: short TNT, of one byte, and TIP with an IP. Returns
 * how many of these are there, and moves at past them. */
static uint64_t skip_common(const uint8_t *bytes, uint64_t size, uint64_t *at, enum packet_kind *last)
{
    static const uint8_t tip_sizes[256] = {[0x2d] = 3, [0x4d] = 5, [0x6d] = 7, [0x8d] = 7, [0xcd] = 9};
    const uint64_t most = size < PT_PACKET_MAX_SIZE ? 0 : size - PT_PACKET_MAX_SIZE;
    uint64_t count = 0, next = *at;
    while (next < most) {
        const uint8_t step = is_short_tnt(bytes[next]) ? 1 : tip_sizes[bytes[next]];
        if (step == 0)
            break;
        *last = step == 1 ? PT_PACKET_TNT_8 : PT_PACKET_TIP;
        next += step;
        count++;
    }
    *at = next;
    return count;
}

struct flow_packets flow_packets_look(const uint8_t *bytes, uint64_t size, bool to_psb)
{
    struct flow_packets seen = {0};
    enum packet_kind before = PT_PACKET_PAD;
    enum packet_block block = PACKET_BLOCK_NONE;
    bool header = false; /* within a PSB+ */
    while (seen.size < size) {
        struct packet packet;
        const uint64_t common = block ? 0 : skip_common(bytes, size, &seen.size, &before);
        seen.count += common;
        seen.branches |= common > 0 && !header;
        int length = packet_parse_next(&packet, bytes + seen.size, (size_t)(size - seen.size), &block);
        if (length == PT_PARSE_TRUNCATED)
            seen.error = to_psb ? FLOW_ERROR_RUN_IN : FLOW_OK;
        else if (length < 0)
            seen.error = FLOW_ERROR_OPCODE;
        else if (packet_has_lone_fup(&packet, before, header))
            seen.error = FLOW_ERROR_EVENT_TRACE;
        if (length < 0 || seen.error)
            break;
        header =
            packet.kind == PT_PACKET_PSB || (header && packet.kind != PT_PACKET_PSBEND && packet.kind != PT_PACKET_OVF);
        seen.branches |= reports_branch(packet.kind) && !header;
        if (!packet_is_between(packet.kind))
            before = packet.kind;
        seen.count++;
        seen.size += (uint64_t)length;
    }
    return seen;
}
