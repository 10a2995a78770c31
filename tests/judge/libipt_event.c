/* libipt's words for blocks, events and errors, and ours. */
#include "tests/judge/libipt.h"

#define OUR_ERRORS (-1000) /* below all of libipt's */

int libipt_error_of(enum flow_error error)
{
    return error == FLOW_OK ? 0 : OUR_ERRORS - (int)error;
}

enum flow_error libipt_flow_error(int status)
{
    static const enum flow_error errors[] = {
        [pte_ok] = FLOW_OK,
        [pte_eos] = FLOW_OK,
        [pte_nosync] = FLOW_ERROR_SYNC,
        [pte_bad_opc] = FLOW_ERROR_OPCODE,
        [pte_bad_packet] = FLOW_ERROR_PACKET,
        [pte_bad_context] = FLOW_ERROR_CONTEXT,
        [pte_bad_query] = FLOW_ERROR_MISMATCH,
        [pte_event_ignored] = FLOW_ERROR_MISMATCH,
        [pte_no_enable] = FLOW_ERROR_CONTEXT,
        [pte_nomem] = FLOW_ERROR_MEMORY,
        [pte_noip] = FLOW_ERROR_NO_IP,
        [pte_ip_suppressed] = FLOW_ERROR_NO_IP,
        [pte_nomap] = FLOW_ERROR_NO_CODE,
        [pte_bad_insn] = FLOW_ERROR_INSTRUCTION,
        [pte_bad_image] = FLOW_ERROR_IMAGE,
        [pte_bad_file] = FLOW_ERROR_IMAGE,
        [pte_retstack_empty] = FLOW_ERROR_RETURN,
        [pte_bad_retcomp] = FLOW_ERROR_RETURN,
    };
    const unsigned count = sizeof(errors) / sizeof(errors[0]);
    if (status < OUR_ERRORS)
        return (enum flow_error)(OUR_ERRORS - status);
    unsigned code = pt_errcode(status);
    if (code == pte_ok || code == pte_eos)
        return FLOW_OK;
    return code < count && errors[code] != FLOW_OK ? errors[code] : FLOW_ERROR_OTHER;
}

static enum flow_block_end block_end_of(enum pt_insn_class iclass)
{
    switch (iclass) {
    case ptic_call:
    case ptic_jump:
        return FLOW_END_MAY_DIRECT;
    case ptic_return:
    case ptic_cond_jump:
    case ptic_far_call:
    case ptic_far_return:
    case ptic_far_jump:
    case ptic_error: /* libipt does not say which of the indirect jumps and far transfers */
        return FLOW_END_BRANCH;
    default:
        return FLOW_END_PLAIN;
    }
}

int libipt_take_block(struct packet_engine *engine, uint64_t ip, uint64_t end_ip, uint32_t instructions,
                      enum pt_insn_class iclass, enum pt_exec_mode mode, bool waiting)
{
    const struct judge_block block = {
        .ip = ip,
        .end_ip = end_ip,
        .instructions = instructions,
        .bits = mode == ptem_16bit   ? 16
                : mode == ptem_32bit ? 32
                                     : 64,
        .end = waiting && block_end_of(iclass) != FLOW_END_PLAIN ? FLOW_END_WAITING : block_end_of(iclass),
        .tsc = engine->tsc,
        .space = engine->space,
    };
    engine->last = (struct libipt_last){.known = true, .end_ip = end_ip, .space = engine->space, .bits = block.bits};
    return libipt_error_of(engine->sink.block(engine->sink.context, &block));
}

static int hand_on(struct packet_engine *engine, const struct packet_event *event)
{
    struct packet_event timed = *event;
    timed.tsc = engine->tsc;
    return libipt_error_of(engine->sink.event(engine->sink.context, &timed));
}

int libipt_take_no_code(struct packet_engine *engine, uint64_t ip)
{
    return hand_on(engine, &(struct packet_event){.kind = PACKET_EVENT_NO_CODE, .from = ip});
}

static int take_disabled(struct packet_engine *engine, const struct pt_event *event)
{
    if (event->ip_suppressed && libipt_mov_cr3_lost(engine))
        return 0;
    engine->last.known = false;
    return hand_on(engine, &(struct packet_event){
                               .kind = PACKET_EVENT_DISABLED,
                               .to_known = !event->ip_suppressed,
                               .to = event->ip_suppressed ? 0 : event->variant.disabled.ip,
                               /* With erratum SKL014 enabled, libipt's block decoder (2.0.5) mistakes a direct branch
                                * within the ranges for the one that left them. So the erratum is not enabled in libipt,
                                * which walks past the branch to the next one that needs a packet. */
                               .walked_past = engine->errata.skl014 && engine->input->range_kinds != 0,
                           });
}

static int take_async_disabled(struct packet_engine *engine, const struct pt_event *event)
{
    engine->last.known = false;
    return hand_on(engine, &(struct packet_event){.kind = PACKET_EVENT_ASYNC_DISABLED,
                                                  .to_known = !event->ip_suppressed,
                                                  .from = event->variant.async_disabled.at,
                                                  .to = event->variant.async_disabled.ip});
}

/* Code is executed in this space, as it is at this trace offset, from now on. */
static bool set_image(struct packet_engine *engine, uint64_t space, uint64_t at)
{
    const struct pt_image *before = engine->images.current->image;
    engine->space = space;
    if (!libipt_images_set(&engine->images, space, at))
        return false;
    engine->other_image = engine->other_image || engine->images.current->image != before;
    return true;
}

static int take_enabled(struct packet_engine *engine, uint64_t offset)
{
    /* Pages are sent between an exit and the next entry, while tracing is off. */
    if (!engine->resuming && !set_image(engine, engine->space, engine->begin + offset))
        return libipt_error_of(FLOW_ERROR_IMAGE);
    engine->last.known = false;
    return hand_on(engine, &(struct packet_event){.kind = PACKET_EVENT_ENABLED, .offset = engine->images.at});
}

static int take_paging(struct packet_engine *engine, enum packet_event_kind kind, uint64_t cr3, bool non_root)
{
    const bool guest = non_root || engine->input->guest_only;
    const uint64_t space = guest ? code_pages_space(engine->input->pages, cr3) : CODE_SPACE_ROOT;
    if (!set_image(engine, space, engine->images.at))
        return libipt_error_of(FLOW_ERROR_IMAGE);
    return hand_on(engine, &(struct packet_event){.kind = kind, .non_root = non_root});
}

/* What was lost may have been a PIP. */
static int take_overflow(struct packet_engine *engine)
{
    engine->last.known = false;
    if (!set_image(engine, CODE_SPACE_UNKNOWN, engine->images.at))
        return libipt_error_of(FLOW_ERROR_IMAGE);
    return hand_on(engine, &(struct packet_event){.kind = PACKET_EVENT_OVERFLOW});
}

int libipt_take_event(struct packet_engine *engine, const struct pt_event *event, uint64_t offset)
{
    if (engine->sink.timed && event->has_tsc && !engine->resuming)
        engine->tsc = event->tsc;
    switch (event->type) {
    case ptev_enabled:
        return take_enabled(engine, offset);
    case ptev_disabled:
        return take_disabled(engine, event);
    case ptev_async_disabled:
        return take_async_disabled(engine, event);
    case ptev_async_branch:
        engine->last.known = false;
        return hand_on(engine, &(struct packet_event){.kind = PACKET_EVENT_ASYNC_BRANCH,
                                                      .from = event->variant.async_branch.from,
                                                      .to = event->variant.async_branch.to});
    case ptev_paging:
        engine->last.paged = true;
        return take_paging(engine, PACKET_EVENT_PAGING, event->variant.paging.cr3, event->variant.paging.non_root);
    case ptev_async_paging:
        return take_paging(engine, PACKET_EVENT_ASYNC_PAGING, event->variant.async_paging.cr3,
                           event->variant.async_paging.non_root);
    case ptev_overflow:
        return take_overflow(engine);
    case ptev_ptwrite:
        return hand_on(engine, &(struct packet_event){.kind = PACKET_EVENT_REACHED});
    default:
        return 0;
    }
}
