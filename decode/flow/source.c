#include "decode/flow/source.h"

bool source_open(struct source *source, const struct flow_trace *trace, struct flow_part part, unsigned needs,
                 struct error *error)
{
    *source = (struct source){.trace = trace, .flow = flow_start(&trace->input, needs, error)};
    if (!source->flow)
        return false;
    source_seek(source, part);
    return true;
}

void source_close(struct source *source)
{
    if (source->flow)
        flow_end(source->flow);
    source->flow = NULL;
}

void source_seek(struct source *source, struct flow_part part)
{
    flow_trace_cursor(&source->cursor, source->trace, part);
    source->in_stretch = false;
}

static const struct flow_batch *gap_batch(struct source *source)
{
    const struct flow_cursor *cursor = &source->cursor;
    source->gap = (struct flow_gap){cursor->lost.begin, cursor->lost.end, cursor->lost_has_branches};
    source->gap_batch = (struct flow_batch){.kind = FLOW_BATCH_GAP,
                                            .context = {.cr3 = FLOW_CR3_UNKNOWN,
                                                        .tsc_error = FLOW_TSC_ERROR_UNKNOWN,
                                                        .at = cursor->lost.begin,
                                                        .cpu = source->trace->pages.cpu},
                                            .begin = cursor->lost.begin,
                                            .gap = &source->gap};
    return &source->gap_batch;
}

const struct flow_batch *source_next(struct source *source)
{
    for (;;) {
        const struct flow_batch *batch = source->in_stretch ? flow_next(source->flow) : NULL;
        if (batch)
            return batch;
        source->in_stretch = false;
        switch (flow_cursor_next(&source->cursor)) {
        case FLOW_FOUND_STRETCH:
            flow_begin(source->flow, &source->cursor.stretch);
            source->in_stretch = true;
            break;
        case FLOW_FOUND_LOST:
            return gap_batch(source);
        default:
            return NULL;
        }
    }
}
