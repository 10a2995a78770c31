/* The same flow, one instruction at a time: slower, for lists of instructions. */
#include "decode/flow/flow_state.h"

static int take_events(struct flow *flow, struct pt_insn_decoder *decoder, int status)
{
    while (status >= 0 && status & pts_event_pending) {
        struct pt_event event;
        uint64_t offset = 0;
        status = pt_insn_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        pt_insn_get_offset(decoder, &offset);
        int error = flow_take_event(flow, &event, offset);
        if (error)
            return error;
    }
    return status;
}

static int run(struct flow *flow, struct pt_insn_decoder *decoder, uint64_t *ip)
{
    int status = pt_insn_sync_set(decoder, 0);
    for (;;) {
        status = take_events(flow, decoder, status);
        if (status < 0)
            return status;
        struct pt_insn insn = {.iclass = ptic_error}; /* libipt leaves it alone where tracing is off at the end */
        status = pt_insn_next(decoder, &insn, sizeof(insn));
        *ip = insn.ip;
        if (insn.iclass == ptic_error) {
            if (status == -pte_nomap || status == -pte_bad_insn)
                flow_resolve(flow, insn.ip);
            continue;
        }
        flow_set_mode(flow, insn.mode);
        int error = flow_take_block(flow, insn.ip, insn.ip, 1, insn.iclass);
        if (error)
            return error;
    }
}

int flow_run_instructions(struct flow *flow, const struct pt_config *config, uint64_t *ip, uint64_t *offset)
{
    struct pt_config plain = *config;
    plain.flags.variant.block.end_on_call = 0;
    plain.flags.variant.block.end_on_jump = 0;
    struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(&plain);
    if (!decoder)
        return -pte_nomem;
    int error = pt_insn_set_image(decoder, flow->image.image);
    if (error >= 0)
        error = run(flow, decoder, ip);
    pt_insn_get_offset(decoder, offset);
    pt_insn_free_decoder(decoder);
    return error;
}
