#include "decode/flow/flow_merge_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "decode/flow/flow_text.h"

/* Room for count more items. NULL: no memory, and what there was stays. */
static void *make_room(void *items, size_t *room, size_t used, size_t count, size_t size)
{
    size_t wanted = *room ? *room : 1024;
    while (wanted < used + count)
        wanted *= 2;
    if (wanted == *room)
        return items;
    void *more = realloc(items, wanted * size);
    if (more)
        *room = wanted;
    return more;
}

static void put_run(struct merge_stretch *stretch, size_t count, uint64_t tsc)
{
    struct merge_run *last = stretch->nr_runs > 0 ? &stretch->runs[stretch->nr_runs - 1] : NULL;
    if (last && last->tsc >= tsc) {
        last->count += count;
        return;
    }
    struct merge_run *runs = make_room(stretch->runs, &stretch->runs_room, stretch->nr_runs, 1, sizeof(*runs));
    stretch->no_memory = stretch->no_memory || !runs;
    if (!runs)
        return;
    stretch->runs = runs;
    runs[stretch->nr_runs++] = (struct merge_run){.tsc = tsc, .count = count};
}

/* A hook. */
static void keep_branches(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc)
{
    struct merge_stretch *stretch = ((const struct merge_seat *)context)->stretch;
    struct flow_branch *items =
        make_room(stretch->branches, &stretch->branches_room, stretch->nr_branches, count, sizeof(*items));
    stretch->no_memory = stretch->no_memory || !items;
    if (!items)
        return;
    stretch->branches = items;
    memcpy(items + stretch->nr_branches, branches, count * sizeof(*items));
    stretch->nr_branches += count;
    put_run(stretch, count, tsc);
}

bool merge_cpu_open(struct merge_cpu *cpu, const struct capture *capture, uint16_t number, size_t depth, size_t seats,
                    struct error *error)
{
    *cpu = (struct merge_cpu){.cpu = number, .depth = depth};
    if (!flow_trace_open_uncut(&cpu->trace, capture, number, error))
        return false;
    cpu->trace.input.timed = true;
    flow_trace_cursor(&cpu->cursor, &cpu->trace, flow_part(cpu->trace.input.trace_size, 0, 0));
    cpu->ring = calloc(depth, sizeof(*cpu->ring));
    cpu->seats = calloc(seats, sizeof(*cpu->seats));
    if (!cpu->ring || !cpu->seats)
        return error_set(error, ERROR_MEMORY, 0, "the stretches of cpu%u.pt", number);
    for (; cpu->nr_seats < seats; cpu->nr_seats++) {
        struct merge_seat *seat = &cpu->seats[cpu->nr_seats];
        const struct flow_hooks hooks = {.branches = keep_branches, .context = seat};
        if (!(seat->flow = flow_start(&cpu->trace.input, &hooks, error)))
            return false;
    }
    return true;
}

void merge_cpu_close(struct merge_cpu *cpu)
{
    for (size_t i = 0; i < cpu->nr_seats; i++)
        flow_end(cpu->seats[i].flow);
    for (size_t i = 0; cpu->ring && i < cpu->depth; i++) {
        free(cpu->ring[i].branches);
        free(cpu->ring[i].runs);
        free(cpu->ring[i].text);
    }
    free(cpu->ring);
    free(cpu->seats);
    flow_trace_close(&cpu->trace);
}

/* The cursor's next stretch. false: it is at its end. */
static bool find_stretch(struct merge_cpu *cpu, struct flow_stretch *stretch)
{
    enum flow_found found;
    while ((found = flow_cursor_next(&cpu->cursor)) == FLOW_FOUND_LOST)
        cpu->lost += cpu->cursor.lost_tells;
    *stretch = cpu->cursor.stretch;
    cpu->at_end = found == FLOW_FOUND_NOTHING;
    return !cpu->at_end;
}

struct merge_seat *merge_cpu_take(struct merge_cpu *cpu)
{
    struct merge_stretch *stretch = &cpu->ring[cpu->taken % cpu->depth];
    struct merge_seat *seat = NULL;
    for (size_t i = 0; i < cpu->nr_seats && !seat; i++)
        seat = cpu->seats[i].stretch ? NULL : &cpu->seats[i];
    if (!seat || cpu->at_end || stretch->state != MERGE_FREE || !find_stretch(cpu, &stretch->stretch))
        return NULL;
    stretch->state = MERGE_DECODING;
    stretch->nr_branches = stretch->nr_runs = stretch->run = 0;
    seat->stretch = stretch;
    cpu->taken++;
    return seat;
}

void merge_stretch_decode(struct merge_seat *seat)
{
    flow_decode(seat->flow, &seat->stretch->stretch, &seat->stretch->result);
}

void merge_cpu_put(struct merge_cpu *cpu, struct merge_seat *seat)
{
    seat->stretch->state = MERGE_DECODED;
    seat->stretch = NULL;
    for (; cpu->known < cpu->taken; cpu->known++) {
        struct merge_stretch *stretch = &cpu->ring[cpu->known % cpu->depth];
        if (stretch->state != MERGE_DECODED)
            break;
        stretch->floor = cpu->tsc;
        const uint64_t last = stretch->nr_runs > 0 ? stretch->runs[stretch->nr_runs - 1].tsc : 0;
        cpu->tsc = last > cpu->tsc ? last : cpu->tsc;
    }
}

struct merge_stretch *merge_cpu_take_decoded(struct merge_cpu *cpu)
{
    for (size_t i = cpu->next; i < cpu->known; i++) {
        struct merge_stretch *stretch = &cpu->ring[i % cpu->depth];
        if (stretch->state == MERGE_DECODED) {
            stretch->state = MERGE_FORMATTING;
            return stretch;
        }
    }
    return NULL;
}

void merge_stretch_format(struct merge_stretch *stretch, uint16_t cpu, const struct flow_merge_options *options)
{
    char *text = make_room(stretch->text, &stretch->text_room, 0, stretch->nr_branches * FLOW_TEXT_LINE, 1);
    stretch->no_memory = stretch->no_memory || !text;
    if (stretch->no_memory)
        return;
    stretch->text = text;
    const struct flow_branch *branches = stretch->branches;
    size_t used = 0;
    for (size_t i = 0; i < stretch->nr_runs; i++) {
        struct merge_run *run = &stretch->runs[i];
        run->tsc = run->tsc > stretch->floor ? run->tsc : stretch->floor;
        used += options->format(text + used, cpu, run->tsc, branches, run->count);
        run->text_end = used;
        branches += run->count;
    }
}

struct merge_stretch *merge_cpu_head(const struct merge_cpu *cpu)
{
    struct merge_stretch *head = &cpu->ring[cpu->next % cpu->depth];
    return cpu->next < cpu->taken && head->state == MERGE_READY ? head : NULL;
}

bool merge_cpu_is_empty(const struct merge_cpu *cpu)
{
    return cpu->at_end && cpu->next == cpu->taken;
}

void merge_cpu_drop(struct merge_cpu *cpu)
{
    struct merge_stretch *head = &cpu->ring[cpu->next++ % cpu->depth];
    head->state = MERGE_FREE;
    flow_trace_pass(&cpu->trace, &cpu->passed, head->result.end);
}
