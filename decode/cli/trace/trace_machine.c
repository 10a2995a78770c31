/*
 * The next batch is pulled from the CPU with the earliest time. Lines cannot be written at once: some are held until
 * the next task of their CPU is known, and would then come after later lines of other CPUs. So each line waits until no
 * CPU can produce an earlier one.
 *
 * Functions have the call stacks of one machine: a task that leaves one CPU continues on another. That excludes
 * --address, which skips callers, and --from and --to, which begin and end each CPU's list separately; then the lists
 * are independent.
 *
 * With --function a CPU skips chunks of its trace during which no CPU executes the function, according to the index.
 * But a task in which the function has not returned may continue in such a chunk. Whether there is such a task is known
 * when all CPUs have reached the chunk's begin. Until then the CPU's listing waits.
 */
#include "decode/cli/trace/trace_machine.h"

#include <stdlib.h>

#include "decode/cli/trace/trace_chunks.h"
#include "decode/cli/trace/trace_cpu.h"
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
    struct trace_cpu cpu;
    struct trace_lines lines;
    struct machine *machine;
    enum machine_next next;
    bool passes_over;           /* the listing has just skipped chunks */
    enum listing_answer answer; /* to NEXT_CHUNK */
    uint64_t tsc;               /* of the next event; never decreases */
};

struct machine {
    struct trace_list *list;
    bool shared;                /* one machine's call stacks; otherwise the lists are independent */
    struct trace_chunks chunks; /* with --function, if shared */
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

/* Continue the tasks of the first CPU, and skip chunks only if no CPU needs them. */
static void share(struct machine_cpu *cpu, struct listing *listing)
{
    struct trace_cpu *first = &cpu->machine->cpus[0].cpu;
    listing->continues = continues;
    listing->left_out = left_out;
    listing->context = cpu;
    listing->also = NULL;
    cpu->answer = LISTING_NOT_YET;
    if (&cpu->cpu != first) {
        stacks_share(cpu->cpu.stacks, first->stacks);
        trace_functions_share(&cpu->cpu.functions, &first->functions);
    }
}

static struct wanted_functions copy(const struct wanted_functions *functions)
{
    return (struct wanted_functions){.pattern = functions->pattern};
}

static bool open_cpu(struct machine *machine, uint16_t number, struct error *error)
{
    struct machine_cpu *cpu = &machine->cpus[machine->nr_cpus++];
    struct listing listing;
    cpu->machine = machine;
    cpu->list = *machine->list;
    cpu->list.function = copy(&machine->list->function);
    cpu->list.from = copy(&machine->list->from);
    cpu->list.to = copy(&machine->list->to);
    cpu->list.cpu = number;
    cpu->list.line_taken = take_line;
    cpu->list.line_context = machine;
    if (!trace_lines_open(&cpu->lines))
        return error_set(error, ERROR_MEMORY, 0, "the list of CPU %u", number);
    cpu->list.file = cpu->lines.file;
    if (!trace_cpu_prepare(&cpu->cpu, &cpu->list, &listing, error))
        return false;
    if (machine->shared)
        share(cpu, &listing);
    else if (cpu->cpu.stacks)
        stacks_of_one_cpu(cpu->cpu.stacks);
    return listing_open(&cpu->cpu.reader, &listing, error);
}

static void set_time(struct machine_cpu *cpu, uint64_t tsc)
{
    cpu->tsc = tsc > cpu->tsc ? tsc : cpu->tsc;
}

static void set_batch(struct machine_cpu *cpu)
{
    const struct flow_batch *batch = cpu->cpu.batch;
    cpu->next = NEXT_BATCH;
    if (batch->kind != FLOW_BATCH_END || batch->conditional > 0)
        set_time(cpu, batch->context.tsc);
}

/* An independent list ends when it is done. The tasks of a shared one may continue on other CPUs. */
static bool pull(struct machine_cpu *cpu)
{
    return (cpu->machine->shared || !cpu->list.done) && trace_cpu_pull(&cpu->cpu);
}

static bool find_next(struct machine_cpu *cpu, struct error *error)
{
    cpu->passes_over = false;
    if (pull(cpu)) {
        if (!cpu->passes_over)
            set_batch(cpu);
        else
            cpu->next = NEXT_PASS_OVER;
        return true;
    }
    if (cpu->cpu.reader.waits) {
        cpu->next = NEXT_CHUNK;
        set_time(cpu, cpu->machine->chunks.items[cpu->cpu.reader.chunk].begin);
        return true;
    }
    cpu->next = NEXT_NOTHING;
    return cpu->machine->shared || trace_cpu_end(&cpu->cpu, error);
}

/* Are events held? Their lines have this time or a later one. */
static bool holds(const struct machine_cpu *cpu, uint64_t *since)
{
    return cpu->cpu.stacks && stacks_holds(cpu->cpu.stacks, since);
}

/* All further lines of the CPU have this time or a later one. */
static uint64_t next_line(const struct machine_cpu *cpu)
{
    uint64_t since;
    if (trace_lines_wait(&cpu->lines))
        return trace_lines_tsc(&cpu->lines);
    if (holds(cpu, &since))
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
    bool open = trace_functions_open(&cpu->cpu.functions);
    for (unsigned i = 0; i < machine->nr_cpus; i++) {
        uint64_t since;
        open |= holds(&machine->cpus[i], &since);
    }
    if (!open)
        stacks_restart(cpu->cpu.stacks);
    cpu->answer = open ? LISTING_YES : LISTING_NO;
}

static void take(struct machine *machine, struct machine_cpu *cpu)
{
    if (cpu->next == NEXT_CHUNK)
        answer(machine, cpu);
    else if (cpu->next == NEXT_PASS_OVER)
        stacks_pass_over(cpu->cpu.stacks);
    else if (machine->shared)
        stacks_take(cpu->cpu.stacks, cpu->cpu.batch);
    else
        trace_cpu_take(&cpu->cpu);
}

/* List until the end, or until nothing more is selected. */
static bool take_all(struct machine *machine, struct error *error)
{
    struct machine_cpu *first;
    bool good = true;
    for (unsigned i = 0; i < machine->nr_cpus && good; i++)
        good = find_next(&machine->cpus[i], error);
    while (good && !machine->list->done && !machine->no_memory && (first = first_by_time(machine))) {
        take(machine, first);
        write_lines(machine);
        if (first->next == NEXT_PASS_OVER)
            set_batch(first);
        else
            good = find_next(first, error);
    }
    return good && (!machine->no_memory || error_set(error, ERROR_MEMORY, 0, "lines"));
}

/* List held events, and the returns of remaining frames. */
static bool finish(struct machine *machine, struct error *error)
{
    bool good = true;
    for (unsigned i = 0; i < machine->nr_cpus && good && machine->shared && !machine->list->done; i++)
        good = trace_cpu_end(&machine->cpus[i].cpu, error);
    write_lines(machine);
    return good;
}

static void close_all(struct machine *machine)
{
    for (unsigned i = machine->nr_cpus; i-- > 0;) {
        struct machine_cpu *cpu = &machine->cpus[i];
        trace_cpu_close(&cpu->cpu);
        trace_lines_close(&cpu->lines);
        wanted_functions_free(&cpu->list.function);
        wanted_functions_free(&cpu->list.from);
        wanted_functions_free(&cpu->list.to);
    }
    free(machine->cpus);
    trace_chunks_free(&machine->chunks);
}

bool trace_machine(struct trace_list *list, struct error *error)
{
    const struct capture *capture = list->indexed->capture;
    const struct trace_options *o = list->options;
    struct machine machine = {.list = list,
                              .shared = o->what == TRACE_FUNCTIONS && !o->address && !o->from && !o->to,
                              .cpus = calloc(capture->nr_cpus + 1u, sizeof(*machine.cpus))};
    bool good = (machine.cpus && (!machine.shared || trace_chunks_find(&machine.chunks, list))) ||
                error_set(error, ERROR_MEMORY, 0, "the lists of %u CPUs", capture->nr_cpus);
    list->done = list->lines >= list->options->lines;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && good; cpu++)
        if (capture->cpus[cpu].present)
            good = open_cpu(&machine, (uint16_t)cpu, error);
    good = good && take_all(&machine, error) && finish(&machine, error);
    close_all(&machine);
    return good;
}
