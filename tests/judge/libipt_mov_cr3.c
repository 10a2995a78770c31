/*
 * A work-around for an error in libipt 2.0.5. It attributes a TIP.PGD without an IP to the first MOV to CR3 that it
 * comes to (pt_insn_at_disabled_event, pt_blk_proceed_trailing_event), even if that instruction has had its PIP. So it
 * loses what was executed from there to the IRET or SYSRET that left the context. A MOV to CR3 generates one packet or
 * the other: SDM Table "Packet Generation under Different Enable Conditions", rows 5c and 5d. So the walk is resumed
 * after it, with made-up packets that only enable tracing there and disable it again.
 */
#include <stddef.h>

#include "tests/judge/libipt.h"

/* The size of a MOV to CR3, 0F 22 /3; 0: it is another instruction. REX.R would select another register. */
static size_t mov_cr3_size(const uint8_t *bytes, size_t size, unsigned bits)
{
    size_t at = size > 0 && bits == 64 && (bytes[0] & 0xf4) == 0x40;
    bool is = size >= at + 3 && bytes[at] == 0x0f && bytes[at + 1] == 0x22 && (bytes[at + 2] & 0x38) == 0x18;
    return is ? at + 3 : 0;
}

int libipt_mov_cr3_packets(const struct pt_config *config, uint64_t ip, unsigned bits)
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

bool libipt_mov_cr3_lost(struct packet_engine *engine)
{
    uint8_t bytes[4];
    struct libipt_last *last = &engine->last;
    if (!last->known || !last->paged)
        return false;
    size_t size =
        code_pages_read(engine->input->pages, last->space, engine->images.at, last->end_ip, bytes, sizeof(bytes));
    size = mov_cr3_size(bytes, size, last->bits);
    last->paged = false;
    engine->resume_ip = size ? last->end_ip + size : 0;
    return size != 0;
}
