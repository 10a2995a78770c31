/* Reads the flow of a CPU, or a part of it: branches, blocks, instructions, and losses. */
#include "decode/report/cause_text.h"
#include "lib/handle.h"
#include "pt/instruction/instruction.h"

_Static_assert((int)UNDERTRACE_16 == INSTRUCTION_16 && (int)UNDERTRACE_64 == INSTRUCTION_64, "modes are the engine's");
_Static_assert(UNDERTRACE_NO_CR3 == FLOW_CR3_UNKNOWN, "what is not known is the engine's");
_Static_assert(UNDERTRACE_NO_ERROR == FLOW_TSC_ERROR_UNKNOWN, "and how far off a time is");
_Static_assert(sizeof(struct undertrace_branch) == sizeof(struct flow_branch), "branches are copied unchanged");

static struct undertrace_where where_of(const struct undertrace_reader *reader, const struct flow_context *context)
{
    return (struct undertrace_where){.tsc = context->tsc,
                                     .cr3 = context->cr3,
                                     .cpu = (uint16_t)reader->how.cpu,
                                     .privilege = reader->owner->privilege,
                                     .mode = context->mode,
                                     .tsc_error = context->tsc_error};
}

/* Take the batch's next item, or all consecutive branches from it on. */
static void take_item(struct undertrace_reader *reader)
{
    struct reader_flow *flow = &reader->flow;
    const struct flow_batch *batch = flow->batch;
    const size_t first = flow->at++;
    const union flow_item *item = &batch->items[first];
    const struct flow_block *block = &item->block;
    if (flow_batch_is_branch(batch, first)) {
        while (flow->at < batch->count && flow_batch_is_branch(batch, flow->at))
            flow->at++;
        reader->where = where_of(reader, &batch->context);
        reader->branches = (const struct undertrace_branch *)item;
        reader->nr_branches = flow->at - first;
        return;
    }
    const bool is_block = batch->tags[first] == FLOW_TAG_BLOCK;
    struct undertrace_item *to = reader_item(reader, is_block ? UNDERTRACE_BLOCK : UNDERTRACE_INSTRUCTION);
    to->where = where_of(reader, &batch->context);
    if (is_block)
        to->block = (struct undertrace_block){block->first, block->first + block->last, block->first + block->size,
                                              block->instructions};
    else
        to->instruction = item->instruction;
}

static void put_lost(struct undertrace_reader *reader, uint64_t begin, uint64_t end, uint64_t address, const char *why)
{
    reader_item(reader, UNDERTRACE_LOST)->lost =
        (struct undertrace_lost){.begin = begin, .end = end, .address = address, .why = why};
}

/* Take a stretch's losses: its loops first, then the bytes after an error. */
static void take_end(struct undertrace_reader *reader)
{
    struct reader_flow *flow = &reader->flow;
    const struct flow_result *result = flow->batch->result;
    if (flow->at == 0 && result->loops)
        put_lost(reader, result->loop_offset, result->loop_offset, result->loop_ip, flow_error_text(FLOW_ERROR_LOOP));
    else if (flow->at == 1 && result->error)
        put_lost(reader, result->error_offset, result->end, result->error_ip, flow_error_text(result->error));
    if (flow->at++ == 0)
        flow_trace_pass(reader->trace, &flow->passed, result->end);
}

static void take_gap(struct undertrace_reader *reader)
{
    const struct flow_gap *gap = reader->flow.batch->gap;
    if (gap->has_branches)
        put_lost(reader, gap->begin, gap->end, 0, flow_error_text(FLOW_ERROR_NO_PSB));
    reader->flow.at++;
}

/* The next recorded gap up to trace offset end, if it lies in this part. false: there is none. */
static bool take_recorded_gap(struct undertrace_reader *reader, uint64_t end)
{
    struct reader_flow *flow = &reader->flow;
    const struct gaps *gaps = &reader->trace->gaps;
    const struct flow_part *part = &flow->source.cursor.part;
    while (flow->gap < gaps->count && gaps->items[flow->gap].at <= end) {
        const struct record_gap *gap = &gaps->items[flow->gap++];
        const bool nothing = gap->cause == 0 && gap->size == 0; /* another buffer of perf.data continues there */
        if (nothing || gap->at < part->from || gap->at >= part->to)
            continue;
        put_lost(reader, gap->at, gap->at + gap->size, 0, gap_cause_text(gap->cause));
        reader->item.lost.recorded = 1;
        return true;
    }
    return false;
}

bool flow_reader_open(struct undertrace_reader *reader, struct error *error)
{
    const unsigned what = reader->how.what;
    const unsigned needs = (what & UNDERTRACE_BRANCHES ? FLOW_NEED_BRANCHES : 0) |
                           (what & UNDERTRACE_INSTRUCTIONS ? FLOW_NEED_INSTRUCTIONS : 0) |
                           (what & UNDERTRACE_BLOCKS ? FLOW_NEED_BLOCKS : 0) | FLOW_NEED_TIME | FLOW_NEED_CONTEXT;
    const struct flow_part part = flow_part(reader->trace->input.trace_size, reader->how.part, reader->how.nr_parts);
    reader->flow.passed = part.from;
    return source_open(&reader->flow.source, reader->trace, part, needs, error);
}

void flow_reader_close(struct undertrace_reader *reader)
{
    source_close(&reader->flow.source);
}

/* Advance by one step. Returns whether there may be more. */
static bool step(struct undertrace_reader *reader)
{
    struct reader_flow *flow = &reader->flow;
    if (!flow->batch && !flow->ended) {
        flow->batch = source_next(&flow->source);
        flow->ended = !flow->batch;
        flow->at = 0;
    }
    if (take_recorded_gap(reader, flow->ended ? UINT64_MAX : flow->batch->begin))
        return true;
    if (flow->ended)
        return false;
    const enum flow_batch_kind kind = flow->batch->kind;
    const size_t steps = kind == FLOW_BATCH_ITEMS ? flow->batch->count : kind == FLOW_BATCH_END ? 2 : 1;
    if (flow->at == steps)
        flow->batch = NULL;
    else if (kind == FLOW_BATCH_ITEMS)
        take_item(reader);
    else if (kind == FLOW_BATCH_END)
        take_end(reader);
    else
        take_gap(reader);
    return true;
}

bool flow_reader_fill(struct undertrace_reader *reader)
{
    while (reader->nr_branches == 0 && !reader->has_item)
        if (!step(reader))
            return false;
    return true;
}
