/*
 * The next batch is pulled from the CPU with the earliest time. Lines cannot be written at once: some are held until
 * the next task of their CPU is known, and would then come after later lines of other CPUs. So each line waits until no
 * CPU can produce an earlier one.
 *
 * With --function a CPU skips chunks of its trace during which no CPU executes the function, according to the index.
 * But a task in which the function has not returned may continue in such a chunk. Whether there is such a task is known
 * when all CPUs have reached the chunk's begin. Until then the CPU's listing waits.
 */
#include "decode/cli/trace/trace_machine.h"

#include <stdlib.h>

#include "decode/cli/trace/trace_chunks.h"
#include "decode/cli/trace/trace_functions.h"
#include "decode/cli/trace/trace_lines.h"

/* The next event of a CPU. */
enum machine_next {
    NEXT_NOTHING,
    NEXT_BATCH,
    NEXT_PASS_OVER, /* chunks are skipped, and then batch comes */
    NEXT_CHUNK      /* must it be decoded? */
};

struct machine_cpu {
    struct trace_list list; /* writes into lines */
    struct trace_functions functions;
    struct trace_lines lines;
    struct stacks *stacks;
    struct listing_reader reader;
    struct machine *machine;
    enum machine_next next;
    const struct flow_batch *batch;
    bool passes_over;           /* the listing has just skipped chunks */
    enum listing_answer answer; /* to NEXT_CHUNK */
    uint64_t tsc;               /* of the next event; never decreases */
};

struct machine {
    struct trace_list *list;
    struct trace_chunks chunks; /* with --function */
    struct machine_cpu *cpus;
    unsigned nr_cpus;
    bool no_memory;
};

static enum listing_answer continues(void *context, const struct index_chunk *chunk)
{
    struct machine_cpu *cpu = context;
    const struct machine *machine = cpu->machine;
    if (!machine->chunks.items)
        return LISTING_NO;
    if (trace_chunks_overlap(&machine->chunks, trace_chunks_of(&machine->chunks, machine->list, chunk)))
        return LISTING_YES;
    const enum listing_answer answer = cpu->answer;
    cpu->answer = LISTING_NOT_YET; /* for the next question */
    return answer;
}

static void left_out(void *context, bool known)
{
    struct machine_cpu *cpu = context;
    cpu->passes_over = known && !cpu->machine->chunks.items;
}

/* Called by trace_line_end. */
static void take_line(struct trace_list *list, uint64_t tsc)
{
    struct machine *machine = list->line_context;
    for (unsigned i = 0; i < machine->nr_cpus; i++)
        if (&machine->cpus[i].list == list && !trace_lines_add(&machine->cpus[i].lines, tsc))
            machine->no_memory = true;
}

static bool open_listing(struct machine_cpu *cpu, struct error *error)
{
    struct listing listing = trace_listing(&cpu->list);
    listing.needs = STACKS_NEEDS;
    listing.continues = continues;
    listing.left_out = left_out;
    listing.context = cpu;
    cpu->answer = LISTING_NOT_YET;
    return listing_open(&cpu->reader, &listing, error);
}

static bool open_cpu(struct machine *machine, uint16_t number, struct error *error)
{
    struct machine_cpu *cpu = &machine->cpus[machine->nr_cpus++];
    cpu->machine = machine;
    cpu->list = *machine->list;
    cpu->list.function = (struct wanted_functions){.pattern = machine->list->function.pattern};
    cpu->list.cpu = number;
    cpu->list.begun = true;
    cpu->list.line_taken = take_line;
    cpu->list.line_context = machine;
    if (!trace_lines_open(&cpu->lines))
        return error_set(error, ERROR_MEMORY, 0, "the list of CPU %u", number);
    cpu->list.file = cpu->lines.file;
    const struct stack_hooks hooks = trace_functions_hooks(&cpu->functions, &cpu->list);
    cpu->stacks = stacks_open(cpu->list.indexed->names, &cpu->list.indexed->traces[number].pages, &hooks);
    if (!cpu->stacks)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    if (cpu != machine->cpus) {
        stacks_share(cpu->stacks, machine->cpus[0].stacks);
        trace_functions_share(&cpu->functions, &machine->cpus[0].functions);
    }
    return open_listing(cpu, error);
}

static void set_time(struct machine_cpu *cpu, uint64_t tsc)
{
    cpu->tsc = tsc > cpu->tsc ? tsc : cpu->tsc;
}

static void set_batch(struct machine_cpu *cpu)
{
    cpu->next = NEXT_BATCH;
    if (cpu->batch->kind != FLOW_BATCH_END || cpu->batch->conditional > 0)
        set_time(cpu, cpu->batch->context.tsc);
}

static void find_next(struct machine_cpu *cpu)
{
    cpu->passes_over = false;
    cpu->batch = listing_next(&cpu->reader);
    if (cpu->batch && cpu->passes_over) {
        cpu->next = NEXT_PASS_OVER;
    } else if (cpu->batch) {
        set_batch(cpu);
    } else if (cpu->reader.waits) {
        cpu->next = NEXT_CHUNK;
        set_time(cpu, cpu->machine->chunks.items[cpu->reader.chunk].begin);
    } else {
        cpu->next = NEXT_NOTHING;
    }
}

/* All further lines of the CPU have this time or a later one. */
static uint64_t next_line(const struct machine_cpu *cpu)
{
    uint64_t since;
    if (trace_lines_wait(&cpu->lines))
        return trace_lines_tsc(&cpu->lines);
    if (stacks_holds(cpu->stacks, &since))
        return since;
    return cpu->next ? cpu->tsc : UINT64_MAX;
}

/* Write the lines that no other line can precede. */
static void write_lines(struct machine *machine)
{
    while (!machine->list->done) {
        struct machine_cpu *first = &machine->cpus[0];
        for (unsigned i = 1; i < machine->nr_cpus; i++)
            if (next_line(&machine->cpus[i]) < next_line(first))
                first = &machine->cpus[i];
        if (!trace_lines_wait(&first->lines))
            return;
        trace_lines_write(&first->lines, machine->list->file);
        trace_line_count(machine->list);
    }
}

static struct machine_cpu *first_by_time(struct machine *machine)
{
    struct machine_cpu *first = NULL;
    for (unsigned i = 0; i < machine->nr_cpus; i++)
        if (machine->cpus[i].next && (!first || machine->cpus[i].tsc < first->tsc))
            first = &machine->cpus[i];
    return first;
}

/* Must the CPU decode the chunk because a task may continue there? Held events may still continue such a task. If none
 * does, the CPU skips the chunk. */
static void answer(struct machine *machine, struct machine_cpu *cpu)
{
    bool open = trace_functions_open(&cpu->functions);
    for (unsigned i = 0; i < machine->nr_cpus; i++) {
        uint64_t since;
        open |= stacks_holds(machine->cpus[i].stacks, &since);
    }
    if (!open)
        stacks_restart(cpu->stacks);
    cpu->answer = open ? LISTING_YES : LISTING_NO;
}

/* List until the end, or until nothing more is selected. */
static void take_all(struct machine *machine)
{
    struct machine_cpu *first;
    for (unsigned i = 0; i < machine->nr_cpus; i++)
        find_next(&machine->cpus[i]);
    while (!machine->list->done && !machine->no_memory && (first = first_by_time(machine))) {
        const enum machine_next next = first->next;
        if (next == NEXT_CHUNK)
            answer(machine, first);
        else if (next == NEXT_PASS_OVER)
            stacks_pass_over(first->stacks);
        else
            stacks_take(first->stacks, first->batch);
        write_lines(machine);
        if (next == NEXT_PASS_OVER)
            set_batch(first);
        else
            find_next(first);
    }
}

/* List held events, and the returns of remaining frames. */
static bool finish(struct machine *machine, struct error *error)
{
    bool good = !machine->no_memory;
    for (unsigned i = 0; i < machine->nr_cpus && good && !machine->list->done; i++)
        good = stacks_end(machine->cpus[i].stacks);
    write_lines(machine);
    return good || error_set(error, ERROR_MEMORY, 0, "call stacks");
}

static void close_all(struct machine *machine)
{
    for (unsigned i = machine->nr_cpus; i-- > 0;) {
        struct machine_cpu *cpu = &machine->cpus[i];
        if (cpu->stacks)
            stacks_close(cpu->stacks);
        listing_close(&cpu->reader);
        trace_lines_close(&cpu->lines);
        wanted_functions_free(&cpu->list.function);
    }
    free(machine->cpus);
    trace_chunks_free(&machine->chunks);
}

bool trace_machine_can(const struct trace_list *list)
{
    const struct trace_options *o = list->options;
    return o->what == TRACE_FUNCTIONS && !o->address && !o->from && !o->to;
}

bool trace_machine(struct trace_list *list, struct error *error)
{
    const struct capture *capture = list->indexed->capture;
    struct machine machine = {.list = list, .cpus = calloc(capture->nr_cpus + 1u, sizeof(*machine.cpus))};
    bool good = (machine.cpus && trace_chunks_find(&machine.chunks, list)) ||
                error_set(error, ERROR_MEMORY, 0, "the lists of %u CPUs", capture->nr_cpus);
    list->done = list->lines >= list->options->lines;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && good; cpu++)
        if (capture->cpus[cpu].present)
            good = open_cpu(&machine, (uint16_t)cpu, error);
    if (good) {
        take_all(&machine);
        good = finish(&machine, error);
    }
    close_all(&machine);
    return good;
}
