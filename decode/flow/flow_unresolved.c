/*
 * A TIP.PGD without an IP, at a branch. It stands where ContextEn is cleared, and where FilterEn is cleared or
 * TraceStop hit by a conditional branch or a compressed return: SDM Table "Packet Generation under Different Enable
 * Conditions", rows 7e, 7f. With erratum SKL014 ("Intel PT TIP.PGD May Not Have Target IP Payload") also by a direct
 * jump or call.
 */
#include "decode/flow/flow_state.h"
#include "decode/flow/flow_target.h"
#include "decode/truth.h"

#define FLOW_MAX_RANGES 4u
enum { RANGE_FILTER = 1, RANGE_STOP = 2 }; /* ADDRn_CFG: Table "IA32_RTIT_CTL MSR" */

static bool is_traced(const struct flow_input *input, uint64_t ip)
{
    bool filter = false, inside = false;
    for (unsigned i = 0; i < FLOW_MAX_RANGES; i++) {
        uint64_t kind = input->range_kinds >> 4 * i & 15;
        bool here = ip >= input->ranges[2 * i] && ip <= input->ranges[2 * i + 1];
        if (kind == RANGE_STOP && here)
            return false;
        filter |= kind == RANGE_FILTER;
        inside |= kind == RANGE_FILTER && here;
    }
    return inside || !filter;
}

/* The first branch that led out of the ranges is the one: what stands behind it did not run. */
static void drop_walked_past(struct flow *flow)
{
    struct flow_tail *tail = &flow->tail;
    for (size_t i = 0; i < tail->used; i++) {
        struct flow_pending *block = &tail->blocks[i];
        if (block->branch && block->resolved && !block->proven && !is_traced(flow->input, block->to)) {
            tail->used = i + 1;
            block->resolved = false;
        }
    }
}

uint64_t flow_unresolved_target(struct flow *flow, bool walked_past)
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
