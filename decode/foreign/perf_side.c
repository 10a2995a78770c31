#include "decode/foreign/perf_side.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define PROT_EXECUTE 4u

/* Offsets within a record. */
enum {
    MMAP_PID = 0,
    MMAP_ADDRESS = 8,
    MMAP_SIZE = 16,
    MMAP_OFFSET = 24,
    MMAP_NAME = 32,
    MMAP2_PROT = 56,
    MMAP2_NAME = 64
};
enum { FORK_PID = 0, FORK_PARENT = 4 };

/* A record that is used, and its time. */
struct entry {
    uint64_t time;
    size_t order; /* in the file */
    struct perf_record record;
    struct perf_sample_id id;
};

struct entries {
    struct entry *items;
    size_t count, room;
};

static bool is_used(uint32_t type)
{
    switch (type) {
    case PERF_MMAP:
    case PERF_MMAP2:
    case PERF_COMM:
    case PERF_FORK:
    case PERF_ITRACE_START:
    case PERF_SWITCH:
    case PERF_SWITCH_CPU_WIDE:
        return true;
    default:
        return false;
    }
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Records without a time describe the state before the trace: they get time 0. */
static bool collect(struct entries *entries, struct perf_file perf, const char *name, struct error *error)
{
    struct perf_record record;
    while (perf_file_next(&record, &perf, name, error)) {
        if (!is_used(record.type))
            continue;
        void *items = entries->items;
        struct entry *entry = list_add(&items, &entries->count, &entries->room, sizeof(*entry));
        entries->items = items;
        if (!entry)
            return error_set(error, ERROR_MEMORY, 0, "%s", name);
        *entry = (struct entry){.order = entries->count, .record = record};
        entry->id = perf_file_sample_id(&perf, &record, &entry->record.size);
        entry->time = entry->id.timed ? entry->id.time : 0;
    }
    if (error->kind)
        return false;
    if (entries->count)
        qsort(entries->items, entries->count, sizeof(*entries->items), compare_entries);
    return true;
}

size_t perf_side_program(const struct perf_side *side, uint32_t pid)
{
    for (size_t i = side->nr_programs; i-- > 0;)
        if (side->programs[i].pid == pid)
            return i;
    return PERF_NO_PROGRAM;
}

/* NULL: no memory. */
static struct perf_program *add_program(struct perf_side *side, uint32_t pid)
{
    void *items = side->programs;
    struct perf_program *program = list_add(&items, &side->nr_programs, &side->programs_room, sizeof(*program));
    side->programs = items;
    if (program)
        *program = (struct perf_program){.pid = pid};
    return program;
}

static size_t find_program(struct perf_side *side, uint32_t pid)
{
    const size_t known = perf_side_program(side, pid);
    if (known != PERF_NO_PROGRAM)
        return known;
    return add_program(side, pid) ? side->nr_programs - 1 : PERF_NO_PROGRAM;
}

static bool add_mapping(struct perf_program *program, const struct perf_mapping *mapping)
{
    void *items = program->mappings;
    struct perf_mapping *place = list_add(&items, &program->nr_mappings, &program->room, sizeof(*place));
    program->mappings = items;
    if (place)
        *place = *mapping;
    return place != NULL;
}

static bool take_mapping(struct perf_side *side, const struct perf_record *record, uint64_t time)
{
    const bool second = record->type == PERF_MMAP2;
    const size_t at = second ? MMAP2_NAME : MMAP_NAME;
    if ((record->misc & PERF_MISC_CPUMODE) != PERF_MISC_USER || record->size <= at ||
        (second && !(perf_32(record, MMAP2_PROT) & PROT_EXECUTE)))
        return true;
    const struct perf_mapping mapping = {.time = time,
                                         .gva = perf_64(record, MMAP_ADDRESS),
                                         .size = perf_64(record, MMAP_SIZE),
                                         .offset = perf_64(record, MMAP_OFFSET),
                                         .name = (const char *)record->bytes + at,
                                         .name_size = record->size - at};
    const size_t program = find_program(side, perf_32(record, MMAP_PID));
    return program != PERF_NO_PROGRAM && add_mapping(&side->programs[program], &mapping);
}

/* A new process inherits its parent's mappings. A FORK record of a new thread has the same PID twice. */
static bool take_fork(struct perf_side *side, const struct perf_record *record)
{
    const uint32_t pid = perf_32(record, FORK_PID), parent = perf_32(record, FORK_PARENT);
    if (pid == parent)
        return true;
    if (!add_program(side, pid))
        return false;
    const size_t from = perf_side_program(side, parent);
    bool good = true;
    for (size_t i = 0; from != PERF_NO_PROGRAM && i < side->programs[from].nr_mappings && good; i++)
        good = add_mapping(&side->programs[side->nr_programs - 1], &side->programs[from].mappings[i]);
    return good;
}

static bool add_switch(struct perf_side *side, const struct entry *entry, uint32_t pid, uint32_t tid)
{
    void *items = side->switches;
    struct perf_switch *place = list_add(&items, &side->nr_switches, &side->switches_room, sizeof(*place));
    side->switches = items;
    if (!place)
        return false;
    *place = (struct perf_switch){entry->time, entry->id.cpu, tid, find_program(side, pid)};
    return place->program != PERF_NO_PROGRAM;
}

static bool take_entry(struct perf_side *side, const struct entry *entry)
{
    const struct perf_record *record = &entry->record;
    switch (record->type) {
    case PERF_MMAP:
    case PERF_MMAP2:
        return take_mapping(side, record, entry->time);
    case PERF_FORK:
        return take_fork(side, record);
    case PERF_COMM:
        if (!(record->misc & PERF_MISC_COMM_EXEC) || !entry->id.timed)
            return true;
        return add_program(side, perf_32(record, 0)) && add_switch(side, entry, perf_32(record, 0), perf_32(record, 4));
    case PERF_ITRACE_START:
        if (side->first_pid == UINT32_MAX)
            side->first_pid = perf_32(record, 0);
        return add_switch(side, entry, perf_32(record, 0), perf_32(record, 4));
    default: /* PERF_SWITCH*: the record of a switch in is by the task that runs next */
        return record->misc & PERF_MISC_SWITCH_OUT || add_switch(side, entry, entry->id.pid, entry->id.tid);
    }
}

bool perf_side_read(struct perf_side *side, const struct perf_file *perf, const char *name, struct error *error)
{
    struct entries entries = {0};
    *side = (struct perf_side){.first_pid = UINT32_MAX};
    bool good = collect(&entries, *perf, name, error);
    for (size_t i = 0; i < entries.count && good; i++)
        good = take_entry(side, &entries.items[i]) || error_set(error, ERROR_MEMORY, 0, "%s", name);
    free(entries.items);
    return good;
}

void perf_side_free(struct perf_side *side)
{
    for (size_t i = 0; i < side->nr_programs; i++)
        free(side->programs[i].mappings);
    free(side->programs);
    free(side->switches);
    *side = (struct perf_side){0};
}
