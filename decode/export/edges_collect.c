/* One pass over the branches of each CPU. The instruction of a branch is decoded when the branch is seen first. */
#include "decode/export/edges.h"
#include "decode/flow/flow_trace.h"
#include "pt/instruction/instruction.h"

struct collector {
    struct edges *edges;
    struct calls_run *run;
    const struct code_pages *pages;
    struct flow *flow;
    uint64_t at;            /* trace offset that selects the version of the code */
    uint64_t start;         /* where the current run of instructions began; 0: unknown */
    uint64_t end;           /* end of the preceding stretch, if it was decoded completely */
    uint64_t before, total; /* bytes of trace: of the preceding CPUs, and of all */
};

static bool is_kernel(uint64_t address)
{
    return address >> 63;
}

static uint64_t space_of(const struct collector *collector, const struct flow_context *context, uint64_t address)
{
    return is_kernel(address) || context->cr3 == FLOW_CR3_UNKNOWN ? 0
                                                                  : code_pages_space(collector->pages, context->cr3);
}

/* A direct branch leads to its target or falls through; otherwise an event came in between. */
static enum edge_kind kind_of(const struct instruction *instruction, uint64_t from, uint64_t to)
{
    const uint64_t next = from + instruction->length;
    switch ((enum instruction_kind)instruction->kind) {
    case INSTRUCTION_JCC:
        if (to == next)
            return EDGE_FELL;
        return to == next + (uint64_t)(int64_t)instruction->displacement ? EDGE_TAKEN : EDGE_EVENT;
    case INSTRUCTION_JMP_DIRECT:
    case INSTRUCTION_CALL_DIRECT:
        return to == next + (uint64_t)(int64_t)instruction->displacement ? EDGE_TAKEN : EDGE_EVENT;
    case INSTRUCTION_PLAIN:
    case INSTRUCTION_VM_ENTRY:
    case INSTRUCTION_MOV_CR3:
    case INSTRUCTION_PTWRITE:
        return EDGE_EVENT;
    default:
        return EDGE_TAKEN;
    }
}

static void learn(const struct collector *collector, struct edge *edge, const struct flow_context *context)
{
    struct names *names = collector->run->names;
    const struct code_pages *pages = collector->pages;
    const uint64_t cr3 = context->cr3, at = collector->at, second = edge->kind == EDGE_RAN ? edge->from : edge->to;
    edge->name_from = names_find(names, pages, cr3, at, edge->from);
    edge->name_to = names_find(names, pages, cr3, at, second);
    edge->linked_from = names_linked(names, pages, cr3, at, edge->from);
    edge->linked_to = edge->kind == EDGE_RAN ? edge->linked_from + (edge->to - edge->from)
                                             : names_linked(names, pages, cr3, at, edge->to);
}

/* NULL: no memory. */
static const struct edge *count_branch(const struct collector *collector, const struct flow_branch *branch,
                                       const struct flow_context *context)
{
    uint8_t bytes[INSTRUCTION_MAX_BYTES];
    struct instruction instruction;
    struct edge *edge = edges_place(collector->edges, false, branch->from, branch->to,
                                    space_of(collector, context, branch->from & branch->to));
    if (!edge || edge->count++ > 0)
        return edge;
    const uint64_t space =
        context->cr3 == FLOW_CR3_UNKNOWN ? context->cr3 : code_pages_space(collector->pages, context->cr3);
    const size_t size = code_pages_read(collector->pages, space, collector->at, branch->from, bytes, sizeof(bytes));
    if (size > 0 && instruction_decode(&instruction, bytes, (uint32_t)size, (enum instruction_mode)context->mode) ==
                        INSTRUCTION_DECODED) {
        edge->kind = (uint8_t)kind_of(&instruction, branch->from, branch->to);
        edge->last = edge->kind == EDGE_EVENT ? 0 : instruction.length;
    }
    learn(collector, edge, context);
    return edge;
}

static void count_ran(const struct collector *collector, uint64_t end, uint8_t last, const struct flow_context *context)
{
    if (collector->start == 0 || end <= collector->start)
        return;
    struct edge *edge =
        edges_place(collector->edges, true, collector->start, end, space_of(collector, context, collector->start));
    if (!edge || edge->count++ > 0)
        return;
    edge->last = last;
    learn(collector, edge, context);
}

static void take_branches(struct collector *collector, const struct flow_batch *batch)
{
    const struct times_window *window = &collector->run->window;
    const struct flow_context *context = &batch->context;
    const bool wanted = context->tsc >= window->from && context->tsc < window->to &&
                        calls_is_process(collector->run, collector->pages, context->cr3, context->at);
    for (size_t i = 0; i < batch->count; i++) {
        const struct flow_branch *branch = &batch->items[i].branch;
        if (!wanted) {
            collector->start = branch->to;
            continue;
        }
        const struct edge *edge = count_branch(collector, branch, context);
        if (!edge || edge->kind == EDGE_FELL)
            continue;
        count_ran(collector, branch->from + edge->last, edge->last, context);
        collector->start = branch->to;
    }
}

/* Progress over all selected CPUs. */
static void show(const struct collector *collector, const struct flow_cursor *cursor)
{
    const struct calls_run *run = collector->run;
    if (run->progress && collector->total > 0)
        run->progress(run->progress_context,
                      (double)(collector->before + cursor->stretch.end) / (double)collector->total);
}

static void take_stretch(struct collector *collector, const struct flow_stretch *stretch)
{
    struct flow_result result = {0};
    const struct flow_batch *batch;
    if (stretch->begin != collector->end)
        collector->start = 0;
    collector->at = stretch->end - 1;
    flow_begin(collector->flow, stretch);
    while ((batch = flow_next(collector->flow)))
        if (batch->kind == FLOW_BATCH_ITEMS)
            take_branches(collector, batch);
        else if (batch->kind == FLOW_BATCH_END)
            result = *batch->result;
    collector->run->branches += result.branches;
    collector->run->decode_gaps += (result.error != FLOW_OK) + result.loops;
    collector->end = result.error ? 0 : result.end;
}

/* A stretch begins at a time (0: unknown), and the preceding one has ended by then. */
static bool is_before(const struct calls_run *run, uint64_t tsc)
{
    return !run->clock.by_branches && tsc && tsc < run->window.from;
}

static bool is_after(const struct calls_run *run, uint64_t tsc)
{
    return !run->clock.by_branches && tsc && tsc >= run->window.to;
}

/* Decode the stretches of the window, and possibly the nearest others. */
static void take_stretches(struct collector *collector, const struct flow_trace *trace)
{
    struct flow_stretch held = {0};
    struct flow_cursor cursor;
    enum flow_found found;
    bool holds = false;
    flow_trace_cursor(&cursor, trace, flow_part(trace->input.trace_size, 0, 0));
    while ((found = flow_cursor_next(&cursor)) != FLOW_FOUND_NOTHING) {
        if (found == FLOW_FOUND_LOST)
            continue;
        if (holds && !is_before(collector->run, cursor.stretch.tsc))
            take_stretch(collector, &held);
        held = cursor.stretch;
        holds = !is_after(collector->run, held.tsc);
        show(collector, &cursor);
        if (!holds)
            return;
    }
    if (holds)
        take_stretch(collector, &held);
}

static bool is_wanted(const struct calls_run *run, unsigned cpu)
{
    return run->cpu == CALLS_ALL_CPUS ? run->capture->cpus[cpu].present : run->cpu == cpu;
}

/* Bytes of trace of the selected CPUs before this CPU. */
static uint64_t bytes_before(const struct calls_run *run, unsigned cpu)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < cpu; i++)
        bytes += is_wanted(run, i) ? run->capture->cpus[i].size : 0;
    return bytes;
}

static bool take_cpu(struct edges *edges, struct calls_run *run, uint16_t cpu, struct error *error)
{
    struct flow_trace trace;
    struct collector collector = {.edges = edges,
                                  .run = run,
                                  .pages = &trace.pages,
                                  .before = bytes_before(run, cpu),
                                  .total = bytes_before(run, run->capture->nr_cpus)};
    bool good = flow_trace_open_uncut(&trace, run->capture, cpu, error);
    if (good) {
        collector.flow = flow_start(&trace.input, FLOW_NEED_BRANCHES | FLOW_NEED_TIME | FLOW_NEED_CONTEXT, error);
        good = collector.flow != NULL;
    }
    if (good) {
        take_stretches(&collector, &trace);
        flow_end(collector.flow);
    }
    flow_trace_close(&trace);
    return good;
}

bool edges_collect(struct edges *edges, struct calls_run *run, struct error *error)
{
    bool good = true;
    *edges = (struct edges){0};
    for (unsigned cpu = 0; cpu < run->capture->nr_cpus && good; cpu++)
        if (is_wanted(run, cpu))
            good = take_cpu(edges, run, (uint16_t)cpu, error);
    if (run->progress)
        run->progress(run->progress_context, 1);
    edges_sort(edges);
    return good && (!edges->no_memory || error_set(error, ERROR_MEMORY, 0, "branches"));
}
