/*
 * What stands behind a MOV to CR3. libipt 2.0.5 takes a TIP.PGD without an IP for that of the first MOV to CR3 that it
 * comes to (pt_insn_at_disabled_event, pt_blk_proceed_trailing_event), also where the instruction has had its PIP: and
 * so loses what was executed from there to the IRET or SYSRET that left the context. A MOV to CR3 has one or the other:
 * SDM Table "Packet Generation under Different Enable Conditions", rows 5c and 5d. So the walk goes on behind it, with
 * packets that say no more than that: tracing is on there, and ends.
 */
#include <stddef.h>

#include "decode/flow/flow_state.h"

/* The size of the MOV to CR3, 0F 22 /3; 0: it is none. REX.R would make it another register. */
static size_t mov_cr3_size(const uint8_t *bytes, size_t size, unsigned bits)
{
    size_t at = size > 0 && bits == 64 && (bytes[0] & 0xf4) == 0x40;
    bool is = size >= at + 3 && bytes[at] == 0x0f && bytes[at + 1] == 0x22 && (bytes[at + 2] & 0x38) == 0x18;
    return is ? at + 3 : 0;
}

static int packets_encode(const struct pt_config *config, uint64_t ip, unsigned bits)
{
    const struct pt_packet packets[] = {
        {.type = ppt_psb},
        {.type = ppt_mode, .payload.mode = {.leaf = pt_mol_exec, .bits.exec = {.csl = bits == 64, .csd = bits == 32}}},
        {.type = ppt_psbend},
        {.type = ppt_tip_pge, .payload.ip = {.ipc = pt_ipc_sext_48, .ip = ip}},
        {.type = ppt_tip_pgd, .payload.ip = {.ipc = pt_ipc_suppressed}},
    };
    struct pt_encoder *encoder = pt_alloc_encoder(config);
    int status = encoder ? 0 : -pte_nomem;
    for (size_t i = 0; status >= 0 && i < sizeof(packets) / sizeof(packets[0]); i++)
        status = pt_enc_next(encoder, &packets[i]);
    pt_free_encoder(encoder);
    return status < 0 ? status : 0;
}

static int walk(struct flow *flow, uint64_t from)
{
    uint8_t packets[64] = {0}; /* what is left of them is PAD */
    struct pt_config config;
    uint64_t ip, offset, image_at = flow->image.at;
    pt_config_init(&config);
    config.begin = packets;
    config.end = packets + sizeof(packets);
    int error = packets_encode(&config, from, flow->bits);
    if (error == 0)
        error = flow_run_packets(flow, &config, &ip, &offset);
    flow->image.at = image_at;
    return error == -pte_eos ? 0 : error;
}

bool flow_went_on(struct flow *flow, int *error)
{
    uint8_t bytes[4];
    if (!flow->paged || flow->tail.used == 0)
        return false;
    uint64_t ip = flow->tail.blocks[flow->tail.used - 1].end_ip;
    size_t size = mov_cr3_size(bytes, flow_image_read(&flow->image, ip, bytes, sizeof(bytes)), flow->bits);
    if (size == 0)
        return false;
    flow->paged = false;
    *error = walk(flow, ip + size);
    return true;
}
