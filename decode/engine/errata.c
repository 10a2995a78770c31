#include "decode/engine/errata.h"

#include <stddef.h>

#include "decode/engine/engine.h"
#include "decode/engine/packet_rules.h"

#define BDM64 1u
#define SKD007 2u
#define SKD010 4u
#define SKD022 8u
#define APL11 16u
#define APL12 32u
#define SKL168 64u
#define SKZ84 128u

#define SKYLAKE (SKD007 | SKD010 | SKD022 | SKL168)
#define SERVER (SKD022 | SKZ84)

static const struct {
    uint8_t family, model, errata;
} known[] = {
    {6, 0x3d, BDM64},          {6, 0x47, BDM64},          {6, 0x4f, BDM64},          {6, 0x56, BDM64},
    {6, 0x4e, SKYLAKE},        {6, 0x5e, SKYLAKE},        {6, 0x8e, SKYLAKE},        {6, 0x9e, SKYLAKE},
    {6, 0xa5, SKYLAKE},        {6, 0xa6, SKYLAKE},        {6, 0x55, SERVER},         {6, 0x6a, SERVER},
    {6, 0x6c, SERVER},         {6, 0x8f, SERVER},         {6, 0xcf, SERVER},         {6, 0xad, SERVER},
    {6, 0xae, SERVER},         {6, 0x66, SKD022},         {6, 0x7d, SKD022},         {6, 0x7e, SKD022},
    {6, 0x8c, SKD022},         {6, 0x8d, SKD022},         {6, 0xa7, SKD022},         {6, 0xa8, SKD022},
    {6, 0x97, SKD022 | APL11}, {6, 0x9a, SKD022 | APL11}, {6, 0xba, SKD022 | APL11}, {6, 0xb7, SKD022 | APL11},
    {6, 0xbf, SKD022 | APL11}, {6, 0xc5, SKD022 | APL11}, {6, 0xc6, SKD022 | APL11}, {6, 0xb5, SKD022 | APL11},
    {6, 0xaa, SKD022 | APL11}, {6, 0xac, SKD022 | APL11}, {6, 0xbd, SKD022 | APL11}, {6, 0xcc, SKD022 | APL11},
    {6, 0xd5, SKD022 | APL11}, {6, 0x5c, APL11 | APL12},  {6, 0x5f, APL11 | APL12},  {6, 0x7a, APL11},
    {6, 0x86, APL11},          {6, 0x96, APL11},          {6, 0x9c, APL11},          {6, 0xb6, APL11},
    {6, 0xaf, APL11},          {6, 0xdd, APL11},          {18, 1, SKD022 | APL11},   {18, 3, SKD022 | APL11},
    {19, 1, SERVER},
};

struct errata errata_of(const struct flow_input *input)
{
    unsigned errata = 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && input->cpu_known; i++)
        if (known[i].family == input->family && known[i].model == input->model)
            errata = known[i].errata;
    return (struct errata){
        .bdm64 = errata & BDM64,
        .skd007 = errata & SKD007,
        .skd010 = errata & SKD010,
        .skd022 = errata & SKD022,
        .skl168 = errata & SKL168,
        .skz84 = errata & SKZ84,
        .apl11 = errata & APL11,
        .apl12 = errata & APL12,
    };
}

bool errata_knows(const struct flow_input *input)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].family == input->family && known[i].model == input->model)
            return true;
    return false;
}

/* Does the PSB+ at at say that tracing is on? */
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
    return true; /* nobody knows */
}

/* APL12: what follows is written only where tracing is on, or only where it is not. */
static bool goes_on_disabled(const struct engine *engine)
{
    const uint8_t *at = engine->at, *end = engine->input->trace + engine->input->trace_size;
    struct packet packet;
    for (int size; at < end; at += size) {
        size = packet_parse(&packet, at, (size_t)(end - at));
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

/* SKD010: execution goes on at a TIP whose FUP is missing. */
static bool resume_at_tip(struct engine *engine, const struct packet *packet)
{
    uint64_t ip;
    if (!event_ip(engine, packet, &ip))
        return false;
    engine->tracing = true;
    engine->overflown = false;
    engine->fup = FUP_OF_EVENT;
    walk_set(engine, ip);
    return true;
}

static bool skip_fup(struct engine *engine, const struct packet *packet)
{
    uint64_t ignored;
    event_ip(engine, packet, &ignored);
    engine->fup = FUP_OF_EVENT;
    engine->overflown = false;
    if (engine->tell.on)
        tell_lost_fup(engine);
    return true;
}

/* SKZ84: with the byte behind it. */
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
        return overflown && errata->apl12 && engine->before == PT_PACKET_OVF && goes_on_disabled(engine) &&
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
    walk_set(engine, ip);
    return true;
}
