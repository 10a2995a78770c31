#include "decode/cli/trace/trace_cpu.h"

bool trace_cpu_prepare(struct trace_cpu *cpu, struct trace_list *list, struct listing *listing, struct error *error)
{
    *cpu = (struct trace_cpu){.list = list};
    list->begun = !list->from.pattern;
    list->done = list->lines >= list->options->lines;
    if (list->options->what != TRACE_FUNCTIONS) {
        *listing = trace_branches_listing(&cpu->branches, list);
        return true;
    }
    *listing = trace_functions_listing(&cpu->functions, list, &cpu->stacks);
    return cpu->stacks || error_set(error, ERROR_MEMORY, 0, "call stacks");
}

void trace_cpu_close(struct trace_cpu *cpu)
{
    listing_close(&cpu->reader);
    if (cpu->stacks)
        stacks_close(cpu->stacks);
    if (cpu->list && cpu->list->options->what == TRACE_FUNCTIONS)
        trace_functions_close(&cpu->functions);
}

bool trace_cpu_pull(struct trace_cpu *cpu)
{
    cpu->batch = listing_next(&cpu->reader);
    return cpu->batch;
}

void trace_cpu_take(struct trace_cpu *cpu)
{
    if (cpu->stacks)
        trace_functions_take(&cpu->functions, cpu->batch);
    else
        trace_branches_take(&cpu->branches, cpu->batch);
}

bool trace_cpu_end(struct trace_cpu *cpu, struct error *error)
{
    return !cpu->stacks || trace_functions_end(&cpu->functions) || error_set(error, ERROR_MEMORY, 0, "call stacks");
}

bool trace_cpu(struct trace_list *list, struct error *error)
{
    struct trace_cpu cpu;
    struct listing listing;
    bool good = trace_cpu_prepare(&cpu, list, &listing, error) && listing_open(&cpu.reader, &listing, error);
    if (good && cpu.stacks && list->indexed->capture->nr_cpus > 1)
        stacks_of_one_cpu(cpu.stacks);
    while (good && !list->done && trace_cpu_pull(&cpu))
        trace_cpu_take(&cpu);
    good = good && trace_cpu_end(&cpu, error);
    trace_cpu_close(&cpu);
    return good;
}
