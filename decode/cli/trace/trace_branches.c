/* Lists branches and instructions. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/text/branch_text.h"
#include "decode/cli/text/disassembly.h"
#include "decode/cli/text/name_text.h"
#include "decode/cli/trace/trace_branches.h"
#include "decode/engine/batch.h"
#include "decode/truth.h"

static const struct name *name_at(const struct trace_branches *b, uint64_t cr3, uint64_t at, uint64_t address)
{
    return names_find(b->list->indexed->names, &b->list->indexed->traces[b->list->cpu].pages, cr3, at, address);
}

static bool is_address(const struct trace_branches *b, uint64_t address)
{
    const struct listing_range *range = &b->list->options->addresses;
    return !b->list->options->address || (address >= range->begin && address < range->end);
}

/* Is the selected function active, and not deeper than selected? */
static bool is_open(const struct trace_branches *b)
{
    const struct trace_options *o = b->list->options;
    if (!o->function)
        return true;
    return b->gate.open && (o->depth == ARGUMENT_NOT_GIVEN || b->gate.depth < 0 || (uint64_t)b->gate.depth <= o->depth);
}

static void print_address(const struct trace_branches *b, uint64_t cr3, uint64_t at, uint64_t address,
                          const struct name *name)
{
    char text[NAME_TEXT_SIZE];
    fprintf(b->list->file, "%016" PRIx64, address);
    name_text(text, name, address);
    if (text[0]) {
        putc(' ', b->list->file);
        trace_color(b->list, COLOR_NAME);
        fputs(text, b->list->file);
        trace_plain(b->list);
    }
    trace_source(b->list, cr3, at, address);
}

static void print_branch(const struct trace_branches *b, const struct flow_branch *branch, uint8_t kind, uint64_t cr3,
                         uint64_t at)
{
    trace_head(b->list, b->tsc, cr3, trace_process(b->list, cr3, at));
    trace_color(b->list, kind == FLOW_TAG_EVENT ? COLOR_EVENT : COLOR_DIM);
    fprintf(b->list->file, "%-7s ", branch_kind_text(kind));
    trace_plain(b->list);
    print_address(b, cr3, at, branch->from, name_at(b, cr3, at, branch->from));
    fputs(" -> ", b->list->file);
    print_address(b, cr3, at, branch->to, name_at(b, cr3, at, branch->to));
    trace_line_end(b->list);
}

/* Does the branch enter a function that --function names? */
static bool enters_wanted(struct trace_branches *b, const struct flow_branch *branch, uint8_t kind,
                          const struct name *to)
{
    return to->begin == branch->to && gate_enters(kind, branch->from, to->begin, to->end) &&
           wanted_function(&b->list->function, to);
}

/* Update the gate for the branch. target NULL: its target is unknown. */
static void pass_branch(struct trace_branches *b, const struct flow_branch *branch, uint8_t kind, const struct name *to)
{
    struct trace_list *list = b->list;
    if (b->gate.open)
        gate_take(&b->gate, branch->from, branch->to, kind);
    else if (list->function.pattern && to && enters_wanted(b, branch, kind, to))
        gate_enter(&b->gate, to->begin, to->end, branch->from, kind);
}

static bool needs_names(const struct trace_branches *b)
{
    return b->list->function.pattern || b->list->from.pattern || b->list->to.pattern;
}

static void take_branch(struct trace_branches *b, const struct flow_batch *batch, size_t i)
{
    const struct flow_branch *branch = &batch->items[i].branch;
    const uint8_t kind = batch->tags[i];
    const bool was_open = is_open(b), known = branch->to != TRUTH_TO_UNRESOLVED;
    struct trace_list *list = b->list;
    const struct name *to =
        known && needs_names(b) ? name_at(b, batch->context.cr3, batch->context.at, branch->to) : NULL;
    const bool enters = to && to->begin == branch->to && gate_enters(kind, branch->from, to->begin, to->end);
    const bool between = trace_between(list, enters ? to : NULL);
    pass_branch(b, branch, kind, to);
    if (list->options->what != TRACE_BRANCHES || !between || !(was_open || is_open(b)) ||
        !trace_is_process(b->list, batch->context.cr3, batch->context.at) || !trace_is_time(list, b->tsc) ||
        !(is_address(b, branch->from) || is_address(b, branch->to)))
        return;
    print_branch(b, branch, kind, batch->context.cr3, batch->context.at);
}

static void print_instruction(const struct trace_branches *b, uint64_t ip, const struct flow_context *flow)
{
    const struct code_pages *pages = &b->list->indexed->traces[b->list->cpu].pages;
    uint8_t bytes[INSTRUCTION_MAX_BYTES];
    char text[DISASSEMBLY_SIZE];
    trace_head(b->list, b->tsc, flow->cr3, trace_process(b->list, flow->cr3, flow->at));
    print_address(b, flow->cr3, flow->at, ip, name_at(b, flow->cr3, flow->at, ip));
    if (b->list->options->disassemble) {
        const uint64_t space = flow->cr3 == FLOW_CR3_UNKNOWN ? CODE_SPACE_UNKNOWN : code_pages_space(pages, flow->cr3);
        const size_t size = code_pages_read(pages, space, flow->at, ip, bytes, sizeof(bytes));
        fprintf(b->list->file, "  %s", disassembly_text(text, bytes, size, (enum instruction_mode)flow->mode, ip));
    }
    trace_line_end(b->list);
}

static void take_instruction(struct trace_branches *b, uint64_t ip, const struct flow_context *flow)
{
    if (b->list->begun && is_open(b) && is_address(b, ip) && trace_is_time(b->list, b->tsc) &&
        trace_is_process(b->list, flow->cr3, flow->at))
        print_instruction(b, ip, flow);
}

void trace_branches_take(struct trace_branches *b, const struct flow_batch *batch)
{
    if (batch->kind != FLOW_BATCH_ITEMS)
        return;
    if (batch->context.tsc > b->tsc)
        b->tsc = batch->context.tsc;
    for (size_t i = 0; i < batch->count && !b->list->done; i++)
        if (batch->tags[i] == FLOW_TAG_INSTRUCTION)
            take_instruction(b, batch->items[i].instruction, &batch->context);
        else
            take_branch(b, batch, i);
}

/* After an error or a skipped chunk, it is unknown whether the function has returned. */
static enum listing_answer goes_on(void *context, const struct index_chunk *chunk)
{
    (void)chunk;
    const struct trace_branches *b = context;
    return b->gate.open ? LISTING_YES : LISTING_NO;
}

static const struct listing_range *also(void *context, size_t *count)
{
    const struct trace_branches *b = context;
    return trace_also(b->list, count);
}

struct listing trace_branches_listing(struct trace_branches *b, struct trace_list *list)
{
    struct listing listing = trace_listing(list);
    *b = (struct trace_branches){.list = list};
    listing.needs = FLOW_NEED_BRANCHES | FLOW_NEED_KINDS;
    if (list->options->what == TRACE_INSTRUCTIONS)
        listing.needs |= FLOW_NEED_INSTRUCTIONS;
    listing.continues = goes_on;
    listing.also = also;
    listing.context = b;
    return listing;
}
