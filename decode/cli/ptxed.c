#include "decode/cli/ptxed.h"

#include <stdio.h>

#include "decode/cli/error_text.h"
#include "decode/engine/errata.h"

struct printer {
    const struct ptxed_options *options;
    bool speculative, failed;
};

static void print_instruction(void *context, uint64_t ip)
{
    const struct printer *printer = context;
    char line[PTXED_LINE_MAX];
    const size_t size = ptxed_address_line(line, ip, printer->speculative);
    fwrite(line, 1, size, stdout);
}

static void print_event(void *context, const struct flow_event *event)
{
    struct printer *printer = context;
    char line[PTXED_LINE_MAX];
    const size_t size = ptxed_event_line(line, event, printer->options);
    fwrite(line, 1, size, stdout);
    printer->failed |= event->kind == FLOW_EVENT_ERROR;
    if (event->kind == FLOW_EVENT_TSX)
        printer->speculative = event->value == FLOW_TSX_BEGUN;
    if (event->kind == FLOW_EVENT_OVERFLOW || event->kind == FLOW_EVENT_ERROR)
        printer->speculative = false;
}

int ptxed_print_capture(const struct capture *capture, uint16_t cpu, const struct ptxed_options *options)
{
    struct flow_trace trace;
    struct error error = {0};
    int status = 1;
    if (flow_trace_open(&trace, capture, cpu, &error)) {
        trace.input.timed = options->event_time;
        status = ptxed_print(&trace, options);
    } else {
        error_say(&error);
    }
    flow_trace_close(&trace);
    return status;
}

int ptxed_print(const struct flow_trace *trace, const struct ptxed_options *options)
{
    struct printer printer = {.options = options};
    const struct flow_hooks hooks = {.instruction = print_instruction, .event = print_event, .context = &printer};
    struct error error = {0};
    if (trace->input.cpu_known && !errata_knows(&trace->input))
        puts("[0, 0: config error: unknown cpu]");
    struct flow *flow = flow_start(&trace->input, &hooks, &error);
    if (!flow) {
        error_say(&error);
        return 1;
    }
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        struct flow_result result;
        flow_decode(flow, &trace->stretches[i], &result);
    }
    flow_end(flow);
    return printer.failed ? 2 : 0;
}
