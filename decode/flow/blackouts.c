#include "decode/flow/blackouts.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/capture/text.h"
#include "decode/engine/clock.h"
#include "decode/engine/packet_rules.h"
#include "decode/flow/flow_trace.h"
#include "pt/packet/packet.h"
#include "pt/rtit.h"

/* Does the text say that all code of the guest is traced? */
static bool has_no_filter(struct record_text text)
{
    const uint64_t all = RTIT_CTL_OS | RTIT_CTL_USER;
    uint64_t control;
    return text_find_number(&control, text, "rtit_ctl") && (control & (all | RTIT_CTL_CR3_FILTER)) == all;
}

bool blackouts_are_shown(const struct capture *capture, uint16_t cpu)
{
    const struct capture_record *record;
    struct record_text way;
    size_t position = 0;
    if (!text_find(&way, capture->hello, "pt_switch") || !text_equals(way, "root") || !has_no_filter(capture->hello))
        return false;
    while ((record = capture_next(capture, &position, RECORD_STATUS, cpu))) /* options may have changed meanwhile */
        if (!has_no_filter((struct record_text){(const char *)record->payload, record->header.length}))
            return false;
    return true;
}

/* A pass over the packets of a stretch. */
struct scan {
    struct engine_clock clock;
    uint64_t last_ip;
    bool non_root, event, dark; /* event: the last packet was a FUP; dark: TIP.PGD has followed it */
    struct blackout blackout;   /* with dark */
};

static void take_ip(struct scan *scan, const struct packet *packet)
{
    uint64_t ip;
    if (pt_ip_expand(&ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, scan->last_ip))
        scan->last_ip = ip;
}

static void take_pgd(struct scan *scan, const struct packet *packet, uint64_t offset)
{
    uint64_t ip;
    const bool has_ip = pt_ip_expand(&ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, scan->last_ip);
    scan->dark = scan->event && scan->non_root && !has_ip;
    if (scan->dark)
        scan->blackout = (struct blackout){.offset = offset, .address = scan->last_ip, .from = scan->clock.tsc};
    take_ip(scan, packet);
}

/* false: no memory. */
static bool take_pge(struct scan *scan, const struct packet *packet, struct blackouts *blackouts, uint16_t cpu)
{
    struct blackout *place = NULL;
    const bool ends = scan->dark && scan->non_root;
    take_ip(scan, packet);
    scan->dark = false;
    if (!ends)
        return true;
    place = list_add((void **)&blackouts->items, &blackouts->count, &blackouts->room, sizeof(*place));
    if (!place)
        return false;
    *place = scan->blackout;
    place->to = scan->clock.tsc;
    place->cpu = cpu;
    return true;
}

static bool take(struct scan *scan, const struct packet *packet, uint64_t offset, struct blackouts *blackouts,
                 uint16_t cpu)
{
    bool good = true;
    switch (packet->kind) {
    case PT_PACKET_PSB:
        scan->last_ip = 0;
        break;
    case PT_PACKET_PIP:
        scan->non_root = packet->non_root;
        break;
    case PT_PACKET_OVF:
        scan->dark = false;
        engine_clock_overflow(&scan->clock);
        break;
    case PT_PACKET_TIP_PGD:
        take_pgd(scan, packet, offset);
        break;
    case PT_PACKET_TIP_PGE:
        good = take_pge(scan, packet, blackouts, cpu);
        break;
    case PT_PACKET_FUP:
    case PT_PACKET_TIP:
        take_ip(scan, packet);
        break;
    default:
        engine_clock_take(&scan->clock, packet);
    }
    if (!packet_is_between(packet->kind))
        scan->event = packet->kind == PT_PACKET_FUP;
    return good;
}

static bool scan_stretch(struct blackouts *blackouts, const struct flow_input *input, uint16_t cpu,
                         struct flow_span stretch)
{
    struct scan scan = {.non_root = true}; /* until a PIP, as in the engine */
    struct packet packet;
    int size;
    engine_clock_begin(&scan.clock, input->cpuid_15_ebx, input->cpuid_15_eax, input->mtc_freq);
    scan.clock.cpu = input->clock;
    scan.clock.trace = input->trace;
    for (uint64_t at = stretch.begin; at < stretch.end; at += (uint64_t)size) {
        size = packet_parse(&packet, input->trace + at, (size_t)(stretch.end - at));
        if (size <= 0)
            break;
        engine_clock_convert(&scan.clock, &packet, input->trace + at);
        if (!take(&scan, &packet, at, blackouts, cpu))
            return false;
    }
    return true;
}

bool blackouts_add(struct blackouts *blackouts, const struct capture *capture, uint16_t cpu,
                   const struct flow_span *stretches, size_t count)
{
    struct flow_input input = {.trace = capture->cpus[cpu].bytes, .clock = &capture->clocks[cpu]};
    flow_trace_clocks(&input, capture->hello);
    for (size_t i = 0; i < count; i++)
        if (!scan_stretch(blackouts, &input, cpu, stretches[i]))
            return false;
    return true;
}

void blackouts_free(struct blackouts *blackouts)
{
    free(blackouts->items);
    *blackouts = (struct blackouts){0};
}
