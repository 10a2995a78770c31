/* The flow engine. It decodes one stretch of trace at a time, so that an error loses at most the rest of a stretch. */
#include "decode/engine/engine_state.h"

#include <stdlib.h>
#include <string.h>

#include "decode/engine/packets.h"
#include "decode/engine/segment.h"
#include "decode/engine/timed.h"
#include "decode/engine/walk.h"

/* Above these sizes, caches are emptied between two stretches, so that memory does not grow with the trace. */
#define MOST_BLOCKS 400000u
#define MOST_PAGES 200000u

static void engine_close(void *state)
{
    struct engine *engine = state;
    executed_free(&engine->executed);
    blocks_free(&engine->blocks);
    spaces_free(&engine->spaces);
    free(engine->recent);
    free(engine);
}

static void *engine_open(const struct flow_input *input, unsigned needs, struct error *error)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    if (!engine) {
        error_set(error, ERROR_MEMORY, 0, "a flow engine");
        return NULL;
    }
    engine->input = input;
    engine->needs = needs;
    engine->listing = (needs & FLOW_NEED_LISTING) != 0;
    engine->errata = errata_of(input);
    engine->compressed_returns = !input->returns_whole;
    spaces_init(&engine->spaces, input->pages);
    engine->recent = calloc(ENGINE_RECENT, sizeof(*engine->recent));
    if (engine->recent && blocks_init(&engine->blocks) && executed_init(&engine->executed, input, needs, &engine->mode))
        return engine;
    engine_close(engine);
    error_set(error, ERROR_MEMORY, 0, "a flow engine");
    return NULL;
}

static const struct hot *engine_inferred(const void *state)
{
    const struct engine *engine = state;
    return &engine->spaces.inferred;
}

static bool tidy(struct engine *engine)
{
    if (engine->blocks.count < MOST_BLOCKS && engine->spaces.nr_pages < MOST_PAGES)
        return true;
    spaces_forget(&engine->spaces);
    blocks_free(&engine->blocks);
    memset(engine->recent, 0, ENGINE_RECENT * sizeof(*engine->recent));
    return blocks_init(&engine->blocks);
}

static bool begin(struct engine *engine, const struct flow_stretch *stretch)
{
    executed_begin(&engine->executed, stretch->begin, stretch->end, stretch->tsc);
    engine->executed.non_root = true; /* until a PIP: only in user mode, so not in root operation, has a PSB+ none */
    engine->packet = engine->at = engine->input->trace + stretch->begin;
    engine->end = engine->input->trace + stretch->end;
    engine->code_at = engine->executed.context.at = stretch->begin;
    engine->nr_packets = 0;
    engine->tracing = engine->header = engine->event = engine->mode_pending = false;
    engine->overflown = engine->aborted = engine->dark = false;
    engine->entered = NULL;
    engine->guest_cr3 = FLOW_CR3_UNKNOWN;
    engine->fup = FUP_OF_EVENT;
    engine->before = PT_PACKET_PAD;
    engine->mode = INSTRUCTION_64;
    engine->cs_base = 0;
    engine->left.at = UINT64_MAX;
    engine->stretch = stretch;
    engine_clock_begin(&engine->clock, engine->input->cpuid_15_ebx, engine->input->cpuid_15_eax,
                       engine->input->mtc_freq);
    engine->clock.cpu = engine->input->clock;
    engine->clock.trace = engine->input->trace;
    engine->clock.nominal_ratio = engine->input->nominal_ratio;
    timed_begin(engine);
    engine_set_ip(engine, 0);
    returns_clear(&engine->returns);
    /* The space is not known before a PIP. */
    return tidy(engine) && spaces_set(&engine->spaces, CODE_SPACE_UNKNOWN, stretch->begin);
}

/* Follow the code up to the IP in the PSB+ after the stretch. */
static enum flow_error end_at_boundary(struct engine *engine, uint64_t boundary)
{
    boundary = segment_linear(engine, boundary);
    const enum flow_error error = walk_to(engine, WALK_TO_ADDRESS, boundary);
    if (error)
        return error == FLOW_ERROR_MISMATCH ? FLOW_ERROR_BOUNDARY : error;
    executed_prove(&engine->executed);
    executed_position(&engine->executed, false, boundary);
    return walk_comes_again(engine, boundary) != WALK_AGAIN_NEVER ? FLOW_ERROR_LOOP : FLOW_OK;
}

static enum flow_error end_of(struct engine *engine, const struct flow_stretch *stretch, enum flow_error error)
{
    const bool to_psb = stretch->ends >= FLOW_ENDS_AT_PSB;
    /* A FUP or PIP still waits for its TIP, although all pending packets are generated before a PSB. */
    if (!error && (engine->event || engine->entered))
        error = FLOW_ERROR_LEFT_OVER;
    if (error == FLOW_ERROR_LEFT_OVER && !to_psb)
        error = stretch->ends == FLOW_ENDS_WITH_TRACE ? FLOW_ERROR_CUT : FLOW_OK;
    else if (!error && stretch->ends == FLOW_ENDS_AT_PSB_IP && engine->tracing)
        error = end_at_boundary(engine, stretch->boundary_ip);
    else if (!error && stretch->ends == FLOW_ENDS_AT_PSB_OFF && engine->tracing)
        error = FLOW_ERROR_BOUNDARY;
    else if (!error && stretch->ends == FLOW_ENDS_WITH_TRACE && engine->tracing)
        error = FLOW_ERROR_CUT;
    return error;
}

static void end(struct engine *engine, enum flow_error error)
{
    struct flow_result *result = &engine->executed.result;
    engine->stretch = NULL;
    executed_drop(&engine->executed);
    executed_flush(&engine->executed);
    if (engine->executed.no_memory)
        error = FLOW_ERROR_MEMORY;
    result->packets = engine->nr_packets;
    result->blocks = engine->executed.blocks;
    result->error = error;
    result->error_offset = (uint64_t)((error ? engine->packet : engine->at) - engine->input->trace);
    result->error_ip = engine->ip;
    result->error_space = engine->spaces.current ? engine->spaces.current->space : CODE_SPACE_UNKNOWN;
    executed_end(&engine->executed);
}

static void engine_begin(void *state, const struct flow_stretch *stretch)
{
    if (!begin(state, stretch))
        end(state, FLOW_ERROR_MEMORY);
}

/* Decode until some thousand items are in batches, or until the stretch ends. */
static void decode_on(struct engine *engine)
{
    const struct flow_stretch *stretch = engine->stretch;
    const enum flow_error error = packets_run(engine, stretch->ends >= FLOW_ENDS_AT_PSB);
    if (!error && engine->at < engine->end)
        return;
    end(engine, end_of(engine, stretch, error));
}

static const struct flow_batch *engine_next(void *state)
{
    struct engine *engine = state;
    const struct flow_batch *batch;
    while (!(batch = executed_next(&engine->executed)) && engine->stretch)
        decode_on(engine);
    return batch;
}

const struct flow_ops flow_engine_own = {engine_open, engine_begin, engine_next, engine_close, engine_inferred};
