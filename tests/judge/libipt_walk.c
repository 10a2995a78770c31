/*
 * libipt's two decoders: by blocks, and by single instructions, which is slower, for lists of instructions.
 */
#include <stddef.h>

#include "pt/packet/packet.h"
#include "tests/judge/libipt.h"

/* Resume after a MOV to CR3 to which libipt attributed the TIP.PGD of another branch: libipt_mov_cr3.c. */
static int resume_walk(struct packet_engine *engine)
{
    uint8_t packets[64] = {0}; /* the rest is PAD */
    struct pt_config config;
    uint64_t ip, offset, from = engine->resume_ip;
    pt_config_init(&config);
    config.begin = packets;
    config.end = packets + sizeof(packets);
    engine->resume_ip = 0;
    int error = libipt_mov_cr3_packets(&config, from, engine->last.bits);
    if (error == 0) {
        engine->resuming = true;
        error = libipt_walk(engine, &config, &ip, &offset);
        engine->resuming = false;
    }
    return error == -pte_eos ? 0 : error;
}

/* Has the image changed since the last call? */
static bool other_image(struct packet_engine *engine)
{
    bool other = engine->other_image;
    engine->other_image = false;
    return other;
}

static int take_event(struct packet_engine *engine, const struct pt_event *event, uint64_t offset)
{
    int error = libipt_take_event(engine, event, offset);
    return error == 0 && engine->resume_ip ? resume_walk(engine) : error;
}

/* Note whether all packets were consumed: libipt walks past the last packet, until it needs another one. */
static void note_status(struct packet_engine *engine, int status)
{
    if (status < 0 || engine->resuming)
        return;
    engine->used_up = (status & pts_eos) != 0;
    engine->tracing = (status & pts_ip_suppressed) == 0;
}

static int take_block_events(struct packet_engine *engine, struct pt_block_decoder *decoder, int status)
{
    while (status >= 0 && status & pts_event_pending) {
        struct pt_event event;
        uint64_t offset = 0;
        status = pt_blk_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        note_status(engine, status);
        pt_blk_get_offset(decoder, &offset);
        int error = take_event(engine, &event, offset);
        if (error == 0 && other_image(engine))
            error = pt_blk_set_image(decoder, engine->images.current->image);
        if (error)
            return error;
    }
    return status;
}

/* Decode by blocks until the packets end (-pte_eos) or an error. *ip: the last IP. */
static int walk_blocks(struct packet_engine *engine, struct pt_block_decoder *decoder, uint64_t *ip)
{
    int status = pt_blk_sync_set(decoder, 0);
    note_status(engine, status);
    for (;;) {
        status = take_block_events(engine, decoder, status);
        if (status < 0)
            return status;
        struct pt_block block;
        status = pt_blk_next(decoder, &block, sizeof(block));
        note_status(engine, status);
        *ip = block.ninsn > 0 ? block.end_ip : block.ip;
        int error = 0;
        if (engine->sink.timed && !engine->resuming)
            pt_blk_time(decoder, &engine->tsc, NULL, NULL);
        if (block.ninsn > 0)
            error =
                libipt_take_block(engine, block.ip, block.end_ip, block.ninsn, block.iclass, block.mode, status < 0);
        else if (status == -pte_nomap || status == -pte_bad_insn)
            error = libipt_take_no_code(engine, block.ip);
        if (error)
            return error;
    }
}

static int run_blocks(struct packet_engine *engine, const struct pt_config *config, uint64_t *ip, uint64_t *offset)
{
    struct pt_block_decoder *decoder = pt_blk_alloc_decoder(config);
    if (!decoder)
        return -pte_nomem;
    int error = pt_blk_set_image(decoder, engine->images.current->image);
    if (error >= 0)
        error = walk_blocks(engine, decoder, ip);
    pt_blk_get_offset(decoder, offset);
    pt_blk_free_decoder(decoder);
    return error;
}

static int take_insn_events(struct packet_engine *engine, struct pt_insn_decoder *decoder, int status)
{
    while (status >= 0 && status & pts_event_pending) {
        struct pt_event event;
        uint64_t offset = 0;
        status = pt_insn_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        note_status(engine, status);
        pt_insn_get_offset(decoder, &offset);
        int error = take_event(engine, &event, offset);
        if (error == 0 && other_image(engine))
            error = pt_insn_set_image(decoder, engine->images.current->image);
        if (error)
            return error;
    }
    return status;
}

static int walk_insns(struct packet_engine *engine, struct pt_insn_decoder *decoder, uint64_t *ip)
{
    int status = pt_insn_sync_set(decoder, 0);
    note_status(engine, status);
    for (;;) {
        status = take_insn_events(engine, decoder, status);
        if (status < 0)
            return status;
        struct pt_insn insn = {.iclass = ptic_error}; /* libipt does not set it if tracing is off at the end */
        status = pt_insn_next(decoder, &insn, sizeof(insn));
        note_status(engine, status);
        *ip = insn.ip;
        int error = 0;
        if (engine->sink.timed && !engine->resuming)
            pt_insn_time(decoder, &engine->tsc, NULL, NULL);
        if (insn.iclass != ptic_error)
            error = libipt_take_block(engine, insn.ip, insn.ip, 1, insn.iclass, insn.mode, status < 0);
        else if (status == -pte_nomap || status == -pte_bad_insn)
            error = libipt_take_no_code(engine, insn.ip);
        if (error)
            return error;
    }
}

static int run_insns(struct packet_engine *engine, const struct pt_config *config, uint64_t *ip, uint64_t *offset)
{
    struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(config);
    if (!decoder)
        return -pte_nomem;
    int error = pt_insn_set_image(decoder, engine->images.current->image);
    if (error >= 0)
        error = walk_insns(engine, decoder, ip);
    pt_insn_get_offset(decoder, offset);
    pt_insn_free_decoder(decoder);
    return error;
}

/* libipt's callback for unknown packets. Of the packets that libipt does not know, flow_packets.c passes only those
 * that do not affect the flow. */
static int skip_unknown(struct pt_packet_unknown *unknown, const struct pt_config *config, const uint8_t *bytes,
                        void *context)
{
    struct packet packet;
    int size = packet_parse(&packet, bytes, (size_t)(config->end - bytes));
    (void)unknown;
    (void)context;
    bool known = packet.kind == PT_PACKET_CFE || packet.kind == PT_PACKET_EVD || packet.kind == PT_PACKET_TRIG;
    return size > 0 && known ? size : -pte_bad_opc;
}

int libipt_walk(struct packet_engine *engine, const struct pt_config *config, uint64_t *ip, uint64_t *offset)
{
    struct pt_config mine = *config;
    mine.cpu = engine->cpu;
    mine.errata = engine->errata;
    mine.decode.callback = skip_unknown;
    if (engine->sink.timed) {
        mine.cpuid_0x15_eax = engine->input->cpuid_15_eax;
        mine.cpuid_0x15_ebx = engine->input->cpuid_15_ebx;
        mine.mtc_freq = engine->input->mtc_freq;
    }
    if (engine->single)
        return run_insns(engine, &mine, ip, offset);
    mine.flags.variant.block.end_on_call = 1;
    mine.flags.variant.block.end_on_jump = 1;
    return run_blocks(engine, &mine, ip, offset);
}
