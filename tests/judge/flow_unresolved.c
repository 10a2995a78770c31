/*
 * A TIP.PGD without an IP, at a branch. It is generated when ContextEn is cleared, and when a conditional branch or a
 * compressed return clears FilterEn or hits TraceStop: SDM Table "Packet Generation under Different Enable Conditions",
 * rows 7e, 7f. With erratum SKL014 ("Intel PT TIP.PGD May Not Have Target IP Payload"), a direct jump or call generates
 * it as well.
 */
#include "decode/engine/flow_ranges.h"
#include "decode/truth.h"
#include "tests/judge/flow_state.h"
#include "tests/judge/flow_target.h"

/* The TIP.PGD belongs to the first branch that left the ranges: the blocks after it were not executed. */
static void drop_walked_past(struct judge *flow)
{
    struct flow_tail *tail = &flow->tail;
    for (size_t i = 0; i < tail->used; i++) {
        struct flow_pending *block = &tail->blocks[i];
        if (block->branch && block->resolved && !block->proven && !flow_ranges_trace(flow->input, block->to)) {
            tail->used = i + 1;
            block->resolved = false;
        }
    }
}

uint64_t flow_unresolved_target(struct judge *flow, bool walked_past)
{
    uint8_t bytes[15];
    uint64_t to;
    if (walked_past)
        drop_walked_past(flow);
    if (flow->tail.used == 0)
        return TRUTH_TO_UNRESOLVED;
    uint64_t ip = flow->tail.blocks[flow->tail.used - 1].end_ip;
    size_t size = code_pages_read(flow->input->pages, flow->space, flow->code_at, ip, bytes, sizeof(bytes));
    return flow_target(&to, bytes, size, ip, flow->bits) ? to : TRUTH_TO_UNRESOLVED;
}
