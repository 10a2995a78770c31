#include "decode/engine/errata_flow.h"

#include "decode/engine/packet_rules.h"
#include "decode/engine/segment.h"
#include "decode/engine/walk.h"

/* Does the PSB+ have a FUP, which shows that tracing is on? at: after its PSB. */
static bool psb_has_fup(const uint8_t *at, const uint8_t *end)
{
    struct packet packet;
    for (int size; at < end; at += size) {
        size = packet_parse(&packet, at, (size_t)(end - at));
        if (size <= 0 || packet.kind == PT_PACKET_PSBEND || packet.kind == PT_PACKET_OVF)
            return false;
        if (packet.kind == PT_PACKET_FUP)
            return true;
    }
    return true; /* not known */
}

/* APL12: do the following packets show that tracing is disabled? Some are generated only while it is enabled, others
 * only while it is disabled. */
static bool stays_disabled(const struct engine *engine)
{
    const uint8_t *at = engine->at, *end = engine->input->trace + engine->input->trace_size;
    enum packet_block block = PACKET_BLOCK_NONE;
    struct packet packet;
    for (int size; at < end; at += size) {
        size = packet_parse_next(&packet, at, (size_t)(end - at), &block);
        if (size <= 0)
            return false;
        switch (packet.kind) {
        case PT_PACKET_TIP_PGE:
        case PT_PACKET_TRACESTOP:
            return true;
        case PT_PACKET_PSB:
            return !psb_has_fup(at + size, end);
        case PT_PACKET_TNT_8:
        case PT_PACKET_TNT_64:
        case PT_PACKET_TIP:
        case PT_PACKET_TIP_PGD:
        case PT_PACKET_FUP:
        case PT_PACKET_OVF:
            return false;
        default:
            break;
        }
    }
    return false;
}

/* SKD022: the event's IP is that of a VM entry. */
static bool at_vm_entry(struct engine *engine)
{
    enum flow_error ignored;
    const struct block *block = walk_block(engine, &ignored);
    return block && block->end == INSTRUCTION_VM_ENTRY && block->end_ip == engine->ip;
}

/* SKD010: execution continues at a TIP whose FUP is missing. */
static bool resume_at_tip(struct engine *engine, const struct packet *packet)
{
    uint64_t ip;
    if (!engine_packet_ip(engine, packet, &ip) || segment_arrive(engine, true, engine->mode, &ip) != FLOW_OK)
        return false;
    engine->tracing = true;
    engine->overflown = false;
    engine->fup = FUP_OF_EVENT;
    engine_set_ip(engine, ip);
    return true;
}

static bool skip_fup(struct engine *engine, const struct packet *packet)
{
    uint64_t ignored;
    engine_packet_ip(engine, packet, &ignored);
    engine->fup = FUP_OF_EVENT;
    engine->overflown = false;
    return true;
}

/* SKZ84: with the byte after it. */
static bool skip_damaged_tma(struct engine *engine, const struct packet *packet)
{
    if (!packet_is_damaged_tma(packet, engine->packet))
        return false;
    engine->at += engine->at < engine->end;
    return true;
}

bool errata_skip(struct engine *engine, const struct packet *packet)
{
    const struct errata *errata = &engine->errata;
    const bool overflown = engine->overflown && !engine->tracing && !engine->header;
    switch (packet->kind) {
    case PT_PACKET_TIP_PGD:
        if (errata->skd022 && engine->tracing && engine->event && at_vm_entry(engine))
            engine->event = false;
        return overflown && (errata->skd010 || (errata->apl11 && engine->before == PT_PACKET_OVF));
    case PT_PACKET_TIP:
        return overflown && errata->skd010 && resume_at_tip(engine, packet);
    case PT_PACKET_FUP:
        if (overflown && errata->skd010)
            engine->fup = FUP_OF_OVERFLOW;
        return overflown && errata->apl12 && engine->before == PT_PACKET_OVF && stays_disabled(engine) &&
               skip_fup(engine, packet);
    case PT_PACKET_TMA:
        return errata->skz84 && skip_damaged_tma(engine, packet);
    case PT_PACKET_OVF:
        engine->overflown = true;
        return false;
    case PT_PACKET_TIP_PGE:
    case PT_PACKET_PSB:
    case PT_PACKET_TRACESTOP:
        engine->overflown = false;
        return false;
    default:
        return false;
    }
}

bool errata_abort(struct engine *engine, uint64_t ip)
{
    if (!engine->errata.bdm64 || !engine->aborted || !engine->tracing || engine->event || engine->entered)
        return false;
    executed_drop(&engine->executed);
    engine_set_ip(engine, ip);
    return true;
}
