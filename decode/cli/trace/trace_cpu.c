#include "decode/cli/trace/trace_cpu.h"

bool trace_cpu_open(struct trace_cpu *cpu, struct trace_list *list, struct error *error)
{
    struct listing listing;
    *cpu = (struct trace_cpu){.list = list};
    list->begun = !list->from.pattern;
    list->done = list->lines >= list->options->lines;
    if (list->options->what == TRACE_FUNCTIONS) {
        listing = trace_functions_listing(&cpu->functions, list, &cpu->stacks);
        if (!cpu->stacks)
            return error_set(error, ERROR_MEMORY, 0, "stacks");
    } else {
        listing = trace_branches_listing(&cpu->branches, list);
    }
    return listing_open(&cpu->reader, &listing, error);
}

void trace_cpu_close(struct trace_cpu *cpu)
{
    listing_close(&cpu->reader);
    if (cpu->stacks)
        stacks_close(cpu->stacks);
}

bool trace_cpu_step(struct trace_cpu *cpu, struct error *error)
{
    const struct flow_batch *batch = cpu->list->done ? NULL : listing_next(&cpu->reader);
    if (batch && cpu->stacks)
        trace_functions_take(&cpu->functions, batch);
    else if (batch)
        trace_branches_take(&cpu->branches, batch);
    cpu->ended = !batch;
    if (cpu->ended && cpu->stacks && !trace_functions_end(&cpu->functions))
        return error_set(error, ERROR_MEMORY, 0, "stacks");
    return true;
}

bool trace_cpu(struct trace_list *list, struct error *error)
{
    struct trace_cpu cpu;
    bool good = trace_cpu_open(&cpu, list, error);
    while (good && !cpu.ended)
        good = trace_cpu_step(&cpu, error);
    trace_cpu_close(&cpu);
    return good;
}
