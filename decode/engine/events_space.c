/* Changes of the address space: PIP packets, and the instructions that cause them. SDM "Paging Information Packet
 * (PIP)". */
#include "decode/engine/events_space.h"

#include "decode/engine/segment.h"
#include "decode/engine/walk.h"

static enum flow_error set_guest(struct engine *engine)
{
    const bool known = engine->guest_cr3 != FLOW_CR3_UNKNOWN;
    executed_by(&engine->executed, true, engine->guest_cr3);
    const uint64_t space = known ? code_pages_space(engine->input->pages, engine->guest_cr3) : CODE_SPACE_UNKNOWN;
    return spaces_set(&engine->spaces, space, engine->code_at) ? FLOW_OK : FLOW_ERROR_MEMORY;
}

static enum flow_error set_root(struct engine *engine)
{
    if (engine->executed.non_root && engine->event)
        segment_leave(engine);
    executed_position(&engine->executed, false, engine->event ? engine->ip : 0);
    executed_by(&engine->executed, false, FLOW_CR3_UNKNOWN);
    return spaces_set(&engine->spaces, CODE_SPACE_ROOT, engine->code_at) ? FLOW_OK : FLOW_ERROR_MEMORY;
}

static enum flow_error set_space(struct engine *engine, const struct packet *packet)
{
    const bool guest = packet->non_root || engine->input->guest_only;
    if (guest)
        engine->guest_cr3 = packet->cr3;
    const enum flow_error error = guest ? set_guest(engine) : set_root(engine);
    if (!error && engine->tracing)
        engine_set_ip(engine, engine->ip);
    return error;
}

enum flow_error event_enter_unseen(struct engine *engine)
{
    return engine->executed.non_root ? FLOW_OK : set_guest(engine);
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

/* After a FUP, the PIP belongs to the event; otherwise to an instruction. */
enum flow_error event_pip(struct engine *engine, const struct packet *packet)
{
    enum flow_error error = FLOW_OK;
    if (engine->tracing && !engine->header && !engine->event)
        error = engine->entered ? FLOW_ERROR_CONTEXT : event_enter(engine);
    return error ? error : set_space(engine, packet);
}
