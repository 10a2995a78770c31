/* Reads the packets of a CPU like `undertrace dump`: from the first PSB on, and after gaps and invalid bytes from the
 * next PSB on. */
#include "decode/capture/psb.h"
#include "decode/report/dump_line.h"
#include "lib/handle.h"
#include "pt/packet/packet.h"

/* The library's kinds of packets equal the parser's. */
#define SAME_KIND(kind, name, dump_name, dump)                                                                         \
    _Static_assert((int)UNDERTRACE_##kind == PT_PACKET_##kind, "add " #kind " to lib/undertrace.h");
PT_PACKET_KINDS(SAME_KIND)

static void put_lost(struct undertrace_reader *reader, uint64_t begin, uint64_t end, const char *why, bool recorded)
{
    reader_item(reader, UNDERTRACE_LOST)->lost =
        (struct undertrace_lost){.begin = begin, .end = end, .why = why, .recorded = recorded};
}

static bool is_ip(enum packet_kind kind)
{
    return kind == PT_PACKET_TIP || kind == PT_PACKET_TIP_PGE || kind == PT_PACKET_TIP_PGD || kind == PT_PACKET_FUP;
}

static void put_packet(struct undertrace_reader *reader, uint64_t offset, const struct packet *packet)
{
    struct reader_packets *packets = &reader->packets;
    const bool has_ip = is_ip(packet->kind) && pt_ip_expand(&packets->last_ip, (enum pt_ip_bytes)packet->ip_bytes,
                                                            packet->ip, packets->last_ip);
    if (packet->kind == PT_PACKET_PSB)
        packets->last_ip = 0;
    reader_item(reader, UNDERTRACE_PACKET)->packet =
        (struct undertrace_packet){.offset = offset,
                                   .bytes = reader->trace->input.trace + offset,
                                   .name = packet_dump_name(packet->kind),
                                   .payload = packet->payload,
                                   .ip = has_ip ? packets->last_ip : 0,
                                   .kind = (uint16_t)packet->kind,
                                   .size = packet->size,
                                   .bits = packet->tnt_bits,
                                   .has_ip = has_ip,
                                   .non_root = packet->non_root};
}

/* The first PSB at or after from, or the run's end. */
static uint64_t find_psb(const struct undertrace_reader *reader, uint64_t from)
{
    const struct gaps_run *run = &reader->packets.run;
    const uint64_t psb = psb_next(reader->trace->input.trace, run->end, from);
    return psb == PSB_NONE ? run->end : psb;
}

/* Begin the next run. false: there is none. */
static bool enter_run(struct undertrace_reader *reader)
{
    struct reader_packets *packets = &reader->packets;
    const uint64_t before = packets->run.end;
    if (!gaps_next_run(&packets->run, &reader->trace->gaps, reader->trace->input.trace_size))
        return false;
    if (packets->run.begin > before)
        put_lost(reader, before, packets->run.begin, "a gap", true);
    packets->at = packets->psb = find_psb(reader, packets->run.begin);
    packets->in_run = true;
    return true;
}

/* A packet that reaches into a PSB is invalid: PSBs are found byte by byte. */
static void read_packet(struct undertrace_reader *reader)
{
    struct reader_packets *packets = &reader->packets;
    struct packet packet;
    if (packets->at == packets->psb) {
        packets->psb = find_psb(reader, packets->at + 1);
        packets->block = PACKET_BLOCK_NONE;
    }
    const int size = packet_parse_next(&packet, reader->trace->input.trace + packets->at,
                                       (size_t)(packets->psb - packets->at), &packets->block);
    if (size > 0) {
        put_packet(reader, packets->at, &packet);
        packets->at += (uint64_t)size;
        return;
    }
    packets->psb = find_psb(reader, packets->at + 1);
    put_lost(reader, packets->at, packets->psb, size == PT_PARSE_UNKNOWN ? "unknown opcode" : "no whole packet", false);
    packets->at = packets->psb;
}

bool packet_reader_fill(struct undertrace_reader *reader)
{
    struct reader_packets *packets = &reader->packets;
    bool more = true;
    while (more && !reader->has_item) {
        packets->in_run = packets->in_run && packets->at < packets->run.end;
        if (packets->in_run)
            read_packet(reader);
        else
            more = enter_run(reader);
    }
    return reader->has_item;
}
