/* From one address space to another: PIP packets, and the instructions that make them. SDM "Paging Information Packet
 * (PIP)". */
#include "decode/engine/engine.h"

static enum flow_error set_space(struct engine *engine, const struct packet *packet)
{
    const struct code_pages *pages = engine->input->pages;
    const bool guest = packet->non_root || engine->input->guest_only;
    executed_by(&engine->executed, guest, guest ? packet->cr3 : FLOW_CR3_UNKNOWN);
    if (!spaces_set(&engine->spaces, guest ? code_pages_space(pages, packet->cr3) : CODE_SPACE_ROOT, engine->code_at))
        return FLOW_ERROR_MEMORY;
    if (engine->tracing)
        walk_set(engine, engine->ip);
    return FLOW_OK;
}

enum flow_error event_enter(struct engine *engine)
{
    const enum flow_error error = walk_to(engine, WALK_TO_PIP, 0);
    if (error)
        return error;
    const struct block *block = engine->block;
    if (block->end == INSTRUCTION_MOV_CR3) {
        walk_leave(engine, block, block->next[BLOCK_ON]);
    } else {
        walk_leave(engine, block, block->end_ip);
        engine->entered = block;
    }
    executed_prove(&engine->executed);
    return FLOW_OK;
}

/* Behind a FUP it belongs to the event; else to an instruction. */
enum flow_error event_pip(struct engine *engine, const struct packet *packet)
{
    enum flow_error error = FLOW_OK;
    if (engine->tracing && !engine->lost && !engine->header && !engine->event && !engine->tell.entered)
        error = engine->entered ? FLOW_ERROR_CONTEXT : event_enter(engine);
    return error ? error : set_space(engine, packet);
}
