#include "tests/judge/text/ptxed.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/text/error_text.h"
#include "decode/engine/errata.h"
#include "decode/engine/hot.h"
#include "pt/instruction/instruction.h"
#include "tests/judge/events/events.h"
#include "tests/judge/text/ptxed_clock.h"

struct printer {
    const struct ptxed_options *options;
    const struct flow_trace *trace;
    const struct foreign_image *image;
    struct flow_context context; /* of the present instruction */
    struct ptxed_clock clock;
    bool speculative, failed;
    bool psb_taken;                    /* an error has consumed the PSB: decoding continues at the PSB after it */
    bool in_block;                     /* the next instruction belongs to the same block, */
    const struct foreign_piece *piece; /* if it is in this piece of the image */
    uint64_t instructions, blocks;
    struct hot seen; /* direct calls and jumps backwards */
};

static bool is_first_time(struct printer *printer, uint64_t ip)
{
    const size_t before = printer->seen.used;
    hot_add(&printer->seen, ip, 1);
    return printer->seen.used != before;
}

/* Does a block of libipt end with this instruction? Its blocks end at a branch that a packet reports, at an event, and
 * at what the options name. The first time, they also end at a direct call or a jump backwards, which its cache does
 * not contain yet. A block is within one piece of the image. */
static bool ends_block(struct printer *printer, uint64_t ip)
{
    uint8_t bytes[INSTRUCTION_MAX_BYTES];
    struct instruction instruction;
    const struct flow_context context = printer->context;
    const struct code_pages *pages = &printer->trace->pages;
    const size_t size = code_pages_read(pages, code_pages_space(pages, context.cr3), 0, ip, bytes, sizeof(bytes));
    if (instruction_decode(&instruction, bytes, (uint32_t)size, (enum instruction_mode)context.mode) !=
        INSTRUCTION_DECODED)
        return true;
    switch (instruction.kind) {
    case INSTRUCTION_PLAIN:
        return false;
    case INSTRUCTION_CALL_DIRECT:
        return printer->options->end_on_call || is_first_time(printer, ip);
    case INSTRUCTION_JMP_DIRECT:
        return printer->options->end_on_jump || (instruction.displacement < 0 && is_first_time(printer, ip));
    default:
        return true;
    }
}

/* With its number, if blocks are counted. */
static void print_block(const struct printer *printer)
{
    const struct ptxed_options *options = printer->options;
    if (options->stat || options->stat_instructions || options->stat_blocks)
        printf("[block %" PRIx64 "]\n", printer->blocks);
    else
        puts("[block]");
}

static void count_instruction(struct printer *printer, uint64_t ip)
{
    const struct ptxed_options *options = printer->options;
    printer->instructions++;
    if (!options->show_blocks && !options->stat_blocks)
        return;
    const struct foreign_piece *piece = foreign_image_piece(printer->image, ip);
    printer->in_block &= piece == printer->piece;
    printer->piece = piece;
    printer->blocks += !printer->in_block;
    if (!printer->in_block && options->show_blocks && !options->quiet)
        print_block(printer);
    printer->in_block = !ends_block(printer, ip);
}

static void print_instruction(struct printer *printer, uint64_t ip)
{
    char line[PTXED_LINE_MAX];
    count_instruction(printer, ip);
    if (printer->options->quiet)
        return;
    const size_t size = ptxed_address_line(line, ip, printer->speculative);
    if (printer->options->time)
        printf("%016" PRIx64 "  ", printer->clock.last_tsc);
    fwrite(line, 1, size, stdout);
}

/* Advance the clock to the event. Returns whether the event is to be printed. */
static bool take_time(struct printer *printer, struct flow_event *event)
{
    const struct ptxed_options *options = printer->options;
    const bool tick = event->kind == FLOW_EVENT_TICK;
    if (tick && !options->event_tick)
        return false;
    const bool timed = options->time || options->event_time || options->event_tick;
    const bool later = timed && ptxed_clock_event(&printer->clock, event);
    return later || !tick;
}

static void print_event(struct printer *printer, const struct flow_event *untimed)
{
    char line[PTXED_LINE_MAX];
    struct flow_event timed = *untimed, *event = &timed;
    if (!take_time(printer, event))
        return;
    const size_t size = ptxed_event_line(line, event, printer->options);
    if (!printer->options->quiet || event->kind == FLOW_EVENT_ERROR)
        fwrite(line, 1, size, stdout);
    printer->in_block &= event->kind == FLOW_EVENT_PSB;
    printer->failed |= event->kind == FLOW_EVENT_ERROR;
    printer->psb_taken |= event->kind == FLOW_EVENT_ERROR && event->psb_taken && !printer->options->resync;
    if (event->kind == FLOW_EVENT_TSX)
        printer->speculative = event->value == FLOW_TSX_BEGUN;
    if (event->kind == FLOW_EVENT_OVERFLOW || event->kind == FLOW_EVENT_ERROR)
        printer->speculative = false;
}

static void take_event(void *printer, const struct flow_event *event)
{
    print_event(printer, event);
}

static void take_items(void *context, const struct flow_batch *batch)
{
    struct printer *printer = context;
    printer->context = batch->context;
    for (size_t i = 0; i < batch->count; i++)
        print_instruction(printer, batch->items[i].instruction);
}

static void print_statistics(const struct printer *printer)
{
    if (printer->options->stat_instructions)
        printf("insn: %" PRIu64 ".\n", printer->instructions);
    if (printer->options->stat_blocks)
        printf("blocks:\t%" PRIu64 ".\n", printer->blocks);
}

static void print_stretches(struct printer *printer, struct events *events, const struct flow_trace *trace)
{
    bool failed = false;
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        const bool passed = printer->psb_taken && trace->stretches[i].begin == trace->stretches[i - 1].end;
        printer->psb_taken = false;
        if (passed)
            continue;
        ptxed_clock_stretch(&printer->clock, trace->stretches[i].begin, failed);
        failed = events_run(events, &trace->stretches[i]) != FLOW_OK;
    }
}

int ptxed_print(const struct flow_trace *trace, const struct foreign_image *image, const struct ptxed_options *options)
{
    struct printer printer = {.options = options, .trace = trace, .image = image};
    struct error error = {0};
    if (trace->input.cpu_known && !errata_knows(&trace->input))
        puts("[0, 0: config error: unknown cpu]");
    ptxed_clock_begin(&printer.clock, &trace->input, (struct dump_time_setup){.kept_on_overflow = options->keep_tcal});
    const struct events_sink sink = {.items = take_items,
                                     .event = take_event,
                                     .context = &printer,
                                     .resync = options->resync,
                                     .ticks = options->event_tick || options->time};
    struct events *events = events_open(&trace->input, &sink, &error);
    if (!events) {
        error_print(&error);
        return 1;
    }
    print_stretches(&printer, events, trace);
    events_close(events);
    hot_free(&printer.seen);
    print_statistics(&printer);
    return printer.failed ? 2 : 0;
}
