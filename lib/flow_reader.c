/* The flow of a CPU, or of a part of it: branches, blocks, instructions, and what is lost among them. */
#include "decode/report/cause_text.h"
#include "lib/handle.h"
#include "pt/instruction/instruction.h"

_Static_assert((int)UNDERTRACE_16 == INSTRUCTION_16 && (int)UNDERTRACE_64 == INSTRUCTION_64, "modes are the engine's");
_Static_assert(UNDERTRACE_NO_CR3 == FLOW_CR3_UNKNOWN, "what is not known is the engine's");
_Static_assert(UNDERTRACE_NO_ERROR == FLOW_TSC_ERROR_UNKNOWN, "and how far off a time is");
_Static_assert(sizeof(struct undertrace_branch) == sizeof(struct flow_branch), "branches are handed on as they are");

static struct undertrace_where find_where(const struct undertrace_reader *reader)
{
    const struct flow_context context = flow_context(reader->flow.flow);
    return (struct undertrace_where){.tsc = context.tsc,
                                     .cr3 = context.cr3,
                                     .cpu = (uint16_t)reader->how.cpu,
                                     .privilege = reader->owner->privilege,
                                     .mode = context.mode,
                                     .tsc_error = context.tsc_error};
}

static void put_branches(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc)
{
    struct undertrace_reader *reader = context;
    const struct undertrace_where where = find_where(reader);
    (void)tsc;
    queue_put_branches(&reader->queue, &where, (const struct undertrace_branch *)branches, count);
}

static void put_instruction(void *context, uint64_t ip)
{
    struct undertrace_reader *reader = context;
    struct undertrace_item *item = queue_put(&reader->queue);
    if (item)
        *item =
            (struct undertrace_item){.kind = UNDERTRACE_INSTRUCTION, .where = find_where(reader), .instruction = ip};
}

static void put_block(void *context, const struct flow_block *block)
{
    struct undertrace_reader *reader = context;
    struct undertrace_item *item = queue_put(&reader->queue);
    if (item)
        *item = (struct undertrace_item){.kind = UNDERTRACE_BLOCK,
                                         .where = find_where(reader),
                                         .block = {block->first, block->last, block->end, block->instructions}};
}

static void put_lost(struct undertrace_reader *reader, const struct undertrace_lost *lost)
{
    struct undertrace_item *item = queue_put(&reader->queue);
    if (item)
        *item = (struct undertrace_item){
            .kind = UNDERTRACE_LOST,
            .where = {.cr3 = UNDERTRACE_NO_CR3, .cpu = (uint16_t)reader->how.cpu, .tsc_error = UNDERTRACE_NO_ERROR},
            .lost = *lost};
}

/* The recorded gaps up to trace offset end, as far as they are of this part. */
static void put_gaps(struct undertrace_reader *reader, uint64_t end)
{
    struct reader_flow *flow = &reader->flow;
    const struct gaps *gaps = &reader->trace->gaps;
    const struct flow_part *part = &flow->cursor.part;
    for (; flow->gap < gaps->count && gaps->items[flow->gap].at <= end; flow->gap++) {
        const struct record_gap *gap = &gaps->items[flow->gap];
        const bool nothing = gap->cause == 0 && gap->size == 0; /* another buffer of perf.data goes on there */
        if (nothing || gap->at < part->from || gap->at >= part->to)
            continue;
        put_lost(reader,
                 &(struct undertrace_lost){
                     .begin = gap->at, .end = gap->at + gap->size, .why = gap_cause_text(gap->cause), .recorded = 1});
    }
}

bool flow_reader_open(struct undertrace_reader *reader, struct error *error)
{
    const unsigned what = reader->how.what;
    const struct flow_hooks hooks = {.branches = what & UNDERTRACE_BRANCHES ? put_branches : NULL,
                                     .instruction = what & UNDERTRACE_INSTRUCTIONS ? put_instruction : NULL,
                                     .block = what & UNDERTRACE_BLOCKS ? put_block : NULL,
                                     .context = reader};
    flow_trace_cursor(&reader->flow.cursor, reader->trace,
                      flow_part(reader->trace->input.trace_size, reader->how.part, reader->how.nr_parts));
    reader->flow.passed = reader->flow.cursor.part.from;
    reader->flow.flow = flow_start(&reader->trace->input, &hooks, error);
    return reader->flow.flow != NULL;
}

void flow_reader_close(struct undertrace_reader *reader)
{
    if (reader->flow.flow)
        flow_end(reader->flow.flow);
}

/* The next stretch, or what stands before one. false: there is none. */
static bool go_on(struct undertrace_reader *reader)
{
    struct reader_flow *flow = &reader->flow;
    const struct flow_cursor *cursor = &flow->cursor;
    switch (flow_cursor_next(&flow->cursor)) {
    case FLOW_FOUND_STRETCH:
        put_gaps(reader, cursor->stretch.begin);
        flow_begin(flow->flow, &cursor->stretch, &flow->result);
        flow->in_stretch = true;
        return true;
    case FLOW_FOUND_LOST:
        put_gaps(reader, cursor->lost.begin);
        if (cursor->lost_tells)
            put_lost(reader, &(struct undertrace_lost){.begin = cursor->lost.begin,
                                                       .end = cursor->lost.end,
                                                       .why = flow_error_text(FLOW_ERROR_NO_PSB)});
        return true;
    default:
        put_gaps(reader, UINT64_MAX);
        return false;
    }
}

bool flow_reader_fill(struct undertrace_reader *reader)
{
    struct reader_flow *flow = &reader->flow;
    bool more = true;
    while (more && queue_empty(&reader->queue) && !reader->queue.full) {
        if (!flow->in_stretch) {
            more = go_on(reader);
        } else if (!flow_go_on(flow->flow)) {
            const struct flow_result *result = &flow->result;
            flow->in_stretch = false;
            flow_trace_pass(reader->trace, &flow->passed, result->end);
            if (result->loops)
                put_lost(reader, &(struct undertrace_lost){.begin = result->loop_offset,
                                                           .end = result->loop_offset,
                                                           .address = result->loop_ip,
                                                           .why = flow_error_text(FLOW_ERROR_LOOP)});
            if (result->error)
                put_lost(reader, &(struct undertrace_lost){.begin = result->error_offset,
                                                           .end = result->end,
                                                           .address = result->error_ip,
                                                           .why = flow_error_text(result->error)});
        }
    }
    return !queue_empty(&reader->queue);
}
