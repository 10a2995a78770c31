/*
 * A thread for each CPU decodes, and puts what it finds into a queue; the one that lists takes what comes first by
 * time. Lines are not written as they are told: what is held until it is known which task goes on comes behind later
 * ones of other CPUs. So they wait until no CPU can tell of anything earlier.
 *
 * With --function a CPU leaves out chunks of its trace that no CPU executes the function beside, as the index says. But
 * a task that it was called in may go on in any of them: whether there is one is known to who lists, when it has come
 * to the time at which the chunk begins. So the thread asks.
 */
#include "decode/cli/trace/trace_machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "decode/cli/trace/trace_functions.h"
#include "decode/cli/trace/trace_lines.h"
#include "decode/stack/stack_queue.h"

struct machine_cpu {
    struct trace_list list; /* writes into lines */
    struct trace_functions functions;
    struct trace_lines lines;
    struct stacks *stacks;
    struct stack_queue queue;
    pthread_t thread;
    bool started, good;
    const struct machine *machine;
    bool more;                      /* entry is the next one, */
    struct stack_queue_entry entry; /* of this time, which never goes back: */
    uint64_t tsc;
    struct error error;
};

/* What a chunk of the index is to --function. */
struct machine_chunk {
    uint64_t begin, end; /* times */
    uint16_t cpu;
    bool wanted;
};

struct machine {
    struct trace_list *list;
    struct machine_chunk *chunks; /* of all CPUs, as the index has them; NULL: without --function */
    size_t nr_chunks;
    struct machine_cpu *cpus;
    unsigned nr_cpus;
    atomic_bool stop;
    bool no_memory;
};

/* Hooks of the listing, in the thread of the CPU. */
static bool is_stopped(void *context)
{
    const struct machine_cpu *cpu = context;
    return cpu->machine->stop;
}

/* Does another CPU execute the function within a chunk's time? */
static bool is_beside_wanted(const struct machine *machine, const struct machine_chunk *chunk)
{
    for (size_t i = 0; i < machine->nr_chunks; i++) {
        const struct machine_chunk *other = &machine->chunks[i];
        if (other->wanted && other->cpu != chunk->cpu && other->begin <= chunk->end && chunk->begin <= other->end)
            return true;
    }
    return false;
}

static bool goes_on(void *context, const struct index_chunk *chunk)
{
    struct machine_cpu *cpu = context;
    const struct machine *machine = cpu->machine;
    if (!machine->chunks)
        return false;
    const struct machine_chunk *own = &machine->chunks[chunk - machine->list->ask->index.chunks];
    return is_beside_wanted(machine, own) || stack_queue_ask(&cpu->queue, own->begin);
}

static void left_out(void *context, bool known)
{
    struct machine_cpu *cpu = context;
    if (known && !cpu->machine->chunks)
        stack_queue_pass_over(&cpu->queue);
}

static void *decode(void *argument)
{
    struct machine_cpu *cpu = argument;
    struct listing listing = trace_listing(&cpu->list);
    listing.hooks =
        (struct flow_hooks){.transfers = stack_queue_transfers, .result = stack_queue_result, .context = &cpu->queue};
    listing.goes_on = goes_on;
    listing.left_out = left_out;
    listing.is_done = is_stopped;
    listing.context = cpu;
    cpu->good = listing_run(&listing, &cpu->error);
    stack_queue_end(&cpu->queue);
    return NULL;
}

/* Of trace_line_end. */
static void take_line(struct trace_list *list, uint64_t tsc)
{
    struct machine *machine = list->line_context;
    for (unsigned i = 0; i < machine->nr_cpus; i++)
        if (&machine->cpus[i].list == list && !trace_lines_add(&machine->cpus[i].lines, tsc))
            machine->no_memory = true;
}

static bool open_cpu(struct machine *machine, uint16_t number)
{
    struct machine_cpu *cpu = &machine->cpus[machine->nr_cpus++];
    cpu->machine = machine;
    cpu->list = *machine->list;
    cpu->list.function = (struct wanted_functions){.pattern = machine->list->function.pattern};
    cpu->list.cpu = number;
    cpu->list.begun = true;
    cpu->list.line_taken = take_line;
    cpu->list.line_context = machine;
    stack_queue_init(&cpu->queue);
    if (!trace_lines_open(&cpu->lines))
        return false;
    cpu->list.file = cpu->lines.file;
    const struct stack_hooks hooks = trace_functions_hooks(&cpu->functions, &cpu->list);
    cpu->stacks = stacks_open(cpu->list.ask->names, &cpu->list.ask->traces[number].pages, &hooks);
    if (cpu->stacks && cpu != machine->cpus) {
        stacks_share(cpu->stacks, machine->cpus[0].stacks);
        trace_functions_share(&cpu->functions, &machine->cpus[0].functions);
    }
    return cpu->stacks;
}

static bool start(struct machine_cpu *cpu)
{
    cpu->started = pthread_create(&cpu->thread, NULL, decode, cpu) == 0;
    if (!cpu->started)
        stack_queue_end(&cpu->queue);
    return cpu->started;
}

static void take_next(struct machine_cpu *cpu)
{
    cpu->more = stack_queue_take(&cpu->queue, &cpu->entry);
    if (cpu->more && cpu->entry.transfers.tsc > cpu->tsc)
        cpu->tsc = cpu->entry.transfers.tsc;
}

/* Lines that the CPU writes from now on have this time or a later one. */
static uint64_t next_line(const struct machine_cpu *cpu)
{
    uint64_t since;
    if (trace_lines_wait(&cpu->lines))
        return trace_lines_tsc(&cpu->lines);
    if (stacks_holds(cpu->stacks, &since))
        return since;
    return cpu->more ? cpu->tsc : UINT64_MAX;
}

/* Write the lines that no other can come before. */
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
        if (machine->cpus[i].more && (!first || machine->cpus[i].tsc < first->tsc))
            first = &machine->cpus[i];
    return first;
}

/* May a task go on in the chunk that the CPU asks about? What is held may yet turn out to be one. Where none does, the
 * CPU leaves it out. */
static void answer(struct machine *machine, struct machine_cpu *cpu)
{
    bool open = trace_functions_open(&cpu->functions);
    for (unsigned i = 0; i < machine->nr_cpus; i++) {
        uint64_t since;
        open |= stacks_holds(machine->cpus[i].stacks, &since);
    }
    if (!open && !machine->stop)
        stacks_begin_anew(cpu->stacks);
    stack_queue_answer(&cpu->queue, open && !machine->stop);
}

/* Until nothing more is wanted; what threads still put into their queues is taken, else they would wait. */
static void take_all(struct machine *machine)
{
    struct machine_cpu *first;
    for (unsigned i = 0; i < machine->nr_cpus; i++)
        take_next(&machine->cpus[i]);
    while ((first = first_by_time(machine))) {
        if (first->entry.kind == STACK_QUEUE_QUESTION)
            answer(machine, first);
        if (!machine->stop) {
            stack_queue_give(&first->entry, first->stacks);
            write_lines(machine);
            machine->stop = machine->list->done || machine->no_memory;
        }
        take_next(first);
    }
}

/* What is held, and frames that are left, is told of. */
static bool finish(struct machine *machine, struct error *error)
{
    bool good = !machine->no_memory;
    for (unsigned i = 0; i < machine->nr_cpus && !machine->stop; i++)
        good = stacks_end(machine->cpus[i].stacks) && !machine->cpus[i].queue.no_memory && good;
    write_lines(machine);
    if (!good)
        error_set(error, ERROR_MEMORY, 0, "call stacks");
    for (unsigned i = 0; i < machine->nr_cpus && good; i++)
        if (!machine->cpus[i].good) {
            *error = machine->cpus[i].error;
            good = false;
        }
    return good;
}

static void close_all(struct machine *machine)
{
    for (unsigned i = machine->nr_cpus; i-- > 0;) {
        struct machine_cpu *cpu = &machine->cpus[i];
        if (cpu->stacks)
            stacks_close(cpu->stacks);
        stack_queue_free(&cpu->queue);
        trace_lines_close(&cpu->lines);
        wanted_functions_free(&cpu->list.function);
    }
    free(machine->cpus);
    free(machine->chunks);
}

/* Which chunks execute --function. */
static bool find_chunks(struct machine *machine)
{
    const struct ask *ask = machine->list->ask;
    const struct listing listing = trace_listing(machine->list);
    if (!machine->list->function.pattern)
        return true;
    machine->nr_chunks = ask->index.header->counts[INDEX_CHUNKS];
    machine->chunks = calloc(machine->nr_chunks + 1, sizeof(*machine->chunks));
    for (size_t i = 0; i < machine->nr_chunks && machine->chunks; i++) {
        const struct index_chunk *chunk = &ask->index.chunks[i];
        struct machine_chunk *own = &machine->chunks[i];
        listing_chunk_times(ask, chunk, &own->begin, &own->end);
        own->cpu = (uint16_t)chunk->cpu;
        own->wanted = listing_wants(&listing, chunk);
    }
    return machine->chunks;
}

bool trace_machine_can(const struct trace_list *list)
{
    const struct trace_options *o = list->options;
    return o->what == TRACE_FUNCTIONS && !o->address && !o->from && !o->to;
}

bool trace_machine(struct trace_list *list, struct error *error)
{
    const struct capture *capture = list->ask->capture;
    struct machine machine = {.list = list, .cpus = calloc(capture->nr_cpus + 1u, sizeof(*machine.cpus))};
    bool good = machine.cpus && find_chunks(&machine);
    list->done = list->lines >= list->options->lines;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && good; cpu++)
        if (capture->cpus[cpu].present)
            good = open_cpu(&machine, (uint16_t)cpu);
    unsigned started = 0;
    while (good && started < machine.nr_cpus)
        good = start(&machine.cpus[started++]);
    if (!good)
        error_set(error, ERROR_MEMORY, 0, "the lists of %u CPUs", capture->nr_cpus);
    machine.stop = !good;
    for (unsigned i = started; i < machine.nr_cpus; i++)
        stack_queue_end(&machine.cpus[i].queue);
    take_all(&machine);
    for (unsigned i = 0; i < machine.nr_cpus; i++)
        if (machine.cpus[i].started)
            pthread_join(machine.cpus[i].thread, NULL);
    good = good && finish(&machine, error);
    close_all(&machine);
    return good;
}
