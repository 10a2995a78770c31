#include "decode/cli/ptdump.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/capture/psb.h"
#include "decode/engine/refused.h"

static bool is_shown(const struct packet *packet, const struct ptdump_options *options)
{
    switch (packet->kind) {
    case PT_PACKET_PAD:
        return !options->no_pad;
    case PT_PACKET_CYC:
        return !options->no_timing && !options->no_cyc;
    case PT_PACKET_TSC:
    case PT_PACKET_TMA:
    case PT_PACKET_MTC:
    case PT_PACKET_CBR:
        return !options->no_timing;
    default:
        return true;
    }
}

uint64_t ptdump_print(const uint8_t *bytes, uint64_t begin, uint64_t size, uint64_t from, uint64_t to,
                      struct ptdump_options *options)
{
    char line[DUMP_LINE_MAX];
    uint64_t errors = 0, at = options->no_sync ? 0 : psb_next(bytes, size, 0);
    uint64_t psb = at;
    while (at < size && begin + at < to) {
        struct packet packet;
        int length = packet_parse(&packet, bytes + at, (size_t)(size - at));
        if (length > 0 && options->skd007 && packets_swallowed_ovf(&packet, bytes + at, size - at))
            length = 1 + packet_parse(&packet, bytes + at + 1, (size_t)(size - at - 1));
        if (length == PT_PARSE_TRUNCATED)
            break;
        if (length < 0) {
            printf("[%" PRIx64 ": error decoding packet: %s]\n", begin + at,
                   packets_refused(bytes + at, size - at) == FLOW_ERROR_PACKET ? "unknown packet" : "unknown opcode");
            errors++;
            options->style.ip = 0;
            at = psb_next(bytes, size, at > psb + PSB_BYTES ? at - (PSB_BYTES - 1) : psb + 1);
            continue;
        }
        psb = packet.kind == PT_PACKET_PSB ? at : psb;
        options->style.raw = options->raw ? bytes + at : NULL;
        const size_t written = dump_line_as(line, begin + at, &packet, &options->style);
        if (begin + at >= from && is_shown(&packet, options) && !options->quiet)
            fwrite(line, 1, written, stdout);
        at += (uint64_t)length;
    }
    return errors;
}
