#include "decode/foreign/perf_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/capture/list.h"
#include "decode/foreign/perf_changes.h"
#include "decode/foreign/perf_files.h"
#include "decode/foreign/perf_info.h"
#include "decode/foreign/perf_order.h"
#include "decode/foreign/perf_parts.h"
#include "decode/foreign/perf_sample.h"
#include "decode/foreign/perf_side.h"
#include "decode/foreign/perf_spaces.h"

/* Offsets within AUXTRACE. */
enum { AUX_INDEX = 24, AUX_TID = 28, AUX_CPU = 32 };

struct reader {
    struct perf_file perf;
    const char *name;
    struct foreign *foreign;
    struct perf_choice *choice;
    struct perf_side side;
    struct perf_buffer *buffers; /* the chosen ones, sorted by index */
    size_t nr_buffers, buffers_room;
    bool samples; /* an event's samples contain parts of the trace */
    struct perf_info info;
    struct perf_files files;
};

static bool add_buffer(struct reader *reader, const struct perf_buffer *found)
{
    for (size_t i = 0; i < reader->nr_buffers; i++)
        if (reader->buffers[i].index == found->index && reader->buffers[i].samples == found->samples)
            return true;
    void *items = reader->buffers;
    struct perf_buffer *buffer = list_add(&items, &reader->nr_buffers, &reader->buffers_room, sizeof(*buffer));
    reader->buffers = items;
    if (buffer)
        *buffer = *found;
    return buffer != NULL;
}

/* A part of the trace. */
static bool take_trace(struct reader *reader, const struct perf_record *record)
{
    const struct perf_buffer buffer = {
        .index = perf_32(record, AUX_INDEX), .tid = perf_32(record, AUX_TID), .cpu = perf_32(record, AUX_CPU)};
    return record->type != PERF_AUXTRACE || add_buffer(reader, &buffer);
}

/* A sample, which may contain a part of the trace. */
static bool take_sample(struct reader *reader, const struct perf_record *record)
{
    struct perf_sample sample;
    if (!reader->samples || !perf_sample_read(&sample, &reader->perf, record))
        return true;
    const struct perf_buffer buffer = {
        .index = sample.index, .tid = sample.tid, .cpu = sample.cpu, .samples = true, .snapshots = true};
    return add_buffer(reader, &buffer);
}

static int compare_buffers(const void *left, const void *right)
{
    const struct perf_buffer *a = left, *b = right;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool choose_buffers(struct reader *reader, struct error *error)
{
    const uint64_t wanted = reader->choice->buffer;
    size_t found = 0;
    reader->choice->nr_buffers = reader->nr_buffers;
    if (reader->nr_buffers)
        qsort(reader->buffers, reader->nr_buffers, sizeof(*reader->buffers), compare_buffers);
    for (size_t i = 0; i < reader->nr_buffers; i++)
        if (wanted == PERF_ANY || reader->buffers[i].index == wanted)
            reader->buffers[found++] = reader->buffers[i];
    reader->nr_buffers = found;
    for (size_t i = 0; i < found; i++)
        reader->buffers[i].snapshots |= reader->info.snapshots;
    if (found)
        return true;
    return wanted == PERF_ANY ? error_set(error, ERROR_PERF, 0, "%s: contains no trace", reader->name)
                              : error_set(error, ERROR_PERF, 0, "%s: has no such buffer", reader->name);
}

static bool find_buffers(struct reader *reader, struct error *error)
{
    struct perf_file perf = reader->perf;
    struct perf_record record;
    reader->samples = perf_sample_any(&perf);
    for (uint64_t at = perf.at; perf_file_next(&record, &perf, reader->name, error); at = perf.at) {
        if (record.type == PERF_ID_INDEX && !reader->perf.id_index)
            reader->perf.id_index = at;
        if (record.type == PERF_AUXTRACE_INFO &&
            !perf_info_read(&reader->info, &reader->foreign->trace.input, &reader->perf, &record))
            return error_set(error, ERROR_PERF, 0, "%s: its trace is not Intel PT's", reader->name);
        if (!take_trace(reader, &record) || !take_sample(reader, &record))
            return error_set(error, ERROR_MEMORY, 0, "%s", reader->name);
    }
    return !error->kind && choose_buffers(reader, error);
}

/* The TSC from which on a mapping is valid; 0: from the start. */
static uint64_t mapped_since(const struct reader *reader, const struct perf_mapping *mapping)
{
    const bool known = mapping->time && reader->info.time_mult;
    return known ? perf_info_tsc(&reader->info, mapping->time) & PERF_TSC_MASK : 0;
}

/* Add the code of a program to a space. */
static bool add_mappings(struct reader *reader, size_t program, uint64_t space, struct error *error)
{
    const struct perf_program *p = &reader->side.programs[program];
    for (size_t i = 0; i < p->nr_mappings; i++)
        if (!perf_files_add(&reader->files, &reader->foreign->image, &p->mappings[i], space,
                            mapped_since(reader, &p->mappings[i]), error))
            return false;
    return true;
}

/* Is it a switch on the buffer's CPU, or of its thread, to a program with mappings? Kernel threads have none: they keep
 * the user space. */
static bool is_switch_of(const struct reader *reader, const struct perf_switch *s, const struct perf_buffer *buffer)
{
    const bool here = buffer->cpu != UINT32_MAX ? s->cpu == buffer->cpu || s->cpu == UINT32_MAX : s->tid == buffer->tid;
    return here && reader->side.programs[s->program].nr_mappings > 0;
}

/* How many programs ran, and the first of them. false: out of memory. */
static bool count_programs(const struct reader *reader, size_t *count, size_t *first)
{
    const struct perf_side *side = &reader->side;
    bool *seen = calloc(side->nr_programs + 1, sizeof(*seen));
    *count = 0;
    *first = PERF_NO_PROGRAM;
    for (size_t i = 0; seen && i < side->nr_switches; i++)
        for (size_t k = 0; k < reader->nr_buffers; k++) {
            const struct perf_switch *s = &side->switches[i];
            if (!is_switch_of(reader, s, &reader->buffers[k]) || seen[s->program])
                continue;
            *first = *count == 0 ? s->program : *first;
            seen[s->program] = true;
            (*count)++;
        }
    free(seen);
    return seen != NULL;
}

/* Find the spaces in the packets, or insert them. */
static bool find_spaces(const struct reader *reader, struct foreign *part, const struct perf_buffer *buffer,
                        struct perf_spaces *spaces)
{
    const struct perf_side *side = &reader->side;
    struct perf_point *points = malloc((side->nr_switches + 1) * sizeof(*points));
    size_t count = 0;
    for (size_t i = 0; points && i < side->nr_switches; i++)
        if (is_switch_of(reader, &side->switches[i], buffer))
            points[count++] =
                (struct perf_point){perf_info_tsc(&reader->info, side->switches[i].time), side->switches[i].program};
    const bool good = points && (count == 0 || perf_spaces_find(spaces, part, points, count));
    free(points);
    return good;
}

/* Read the packets of the chosen buffers. spaces NULL: there is only one space. */
static bool take_packets(struct reader *reader, struct perf_spaces *spaces, struct error *error)
{
    struct perf_ordered *ordered = calloc(reader->nr_buffers, sizeof(*ordered));
    bool good = ordered != NULL;
    for (size_t i = 0; i < reader->nr_buffers && good; i++) {
        struct foreign part = {.trace = {.input = reader->foreign->trace.input}};
        good = perf_parts_take(&part, &reader->perf, reader->name, &reader->buffers[i], error) &&
               (!spaces || find_spaces(reader, &part, &reader->buffers[i], spaces));
        ordered[i] = (struct perf_ordered){part.packets, part.trace.gaps};
    }
    good = good && perf_order(reader->foreign, ordered, reader->nr_buffers);
    for (size_t i = 0; ordered && i < reader->nr_buffers; i++) {
        foreign_file_free(&ordered[i].packets);
        gaps_free(&ordered[i].gaps);
    }
    free(ordered);
    return good || error->kind || error_set(error, ERROR_MEMORY, 0, "%s", reader->name);
}

/* Read the packets, and add the code of all programs that ran, each in its own space. */
static bool take_spaces(struct reader *reader, struct error *error)
{
    struct perf_spaces spaces = {0};
    bool good = take_packets(reader, &spaces, error) && !error->kind;
    for (size_t i = 0; i < spaces.count && good; i++)
        if (perf_spaces_is(&spaces, &spaces.items[i]))
            good = add_mappings(reader, spaces.items[i].program, spaces.items[i].cr3, error);
    free(spaces.items);
    return good;
}

/* One space for all: of the chosen process, else of the only program, else of the first traced process. */
static bool take_space(struct reader *reader, size_t program, struct error *error)
{
    if (reader->choice->pid != PERF_ANY)
        program = perf_side_program(&reader->side, (uint32_t)reader->choice->pid);
    else if (program == PERF_NO_PROGRAM)
        program = perf_side_program(&reader->side, reader->side.first_pid);
    return take_packets(reader, NULL, error) && !error->kind &&
           (program == PERF_NO_PROGRAM || add_mappings(reader, program, 0, error));
}

static bool take_all(struct reader *reader, struct error *error)
{
    size_t nr_programs, first;
    if (!count_programs(reader, &nr_programs, &first))
        return error_set(error, ERROR_MEMORY, 0, "%s", reader->name);
    const bool several = reader->choice->pid == PERF_ANY && nr_programs > 1;
    reader->choice->nr_programs = nr_programs;
    reader->choice->untimed = several && reader->info.time_mult == 0;
    if (!(several && reader->info.time_mult ? take_spaces(reader, error) : take_space(reader, first, error)))
        return false;
    return perf_changes_find(reader->foreign) || error_set(error, ERROR_MEMORY, 0, "%s", reader->name);
}

static uint64_t count_gaps(const struct gaps *gaps)
{
    uint64_t count = 0;
    for (size_t i = 0; i < gaps->count; i++)
        count += gaps->items[i].cause != 0;
    return count;
}

bool perf_open_file(struct foreign *foreign, const struct foreign_file *file, const char *name,
                    struct perf_choice *choice, const struct flow_input *settings, struct error *error)
{
    struct reader reader = {.name = name,
                            .foreign = foreign,
                            .choice = choice,
                            .files = {.root = choice->root, .first_piece = foreign->image.nr_pieces}};
    foreign->trace.input = *settings;
    foreign->image.later_wins = foreign->trace.input.code_changes = true;
    bool good = perf_file_open(&reader.perf, file, name, error) && find_buffers(&reader, error);
    if (good)
        perf_info_cpu(&foreign->trace.input, &reader.perf);
    good = good && perf_side_read(&reader.side, &reader.perf, name, error) && take_all(&reader, error);
    choice->nr_missing = reader.files.nr_missing;
    choice->unfinished = reader.perf.unfinished;
    choice->nr_gaps = count_gaps(&foreign->trace.gaps);
    perf_files_free(&reader.files);
    perf_side_free(&reader.side);
    free(reader.buffers);
    return good && foreign_prepare(foreign, name, error);
}

static bool is_directory(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The kernel's code at the end of the recording: an ELF file. */
static bool add_kcore(struct foreign *foreign, const char *name, struct error *error)
{
    char path[4096];
    if (snprintf(path, sizeof(path), "%s/kcore_dir/kcore", name) >= (int)sizeof(path))
        return error_set(error, ERROR_PERF, 0, "%s: the path is too long", name);
    return access(path, F_OK) != 0 || foreign_elf_add(&foreign->image, path, error);
}

bool perf_open(struct foreign *foreign, const char *name, struct perf_choice *choice, const struct flow_input *settings,
               struct error *error)
{
    char path[4096];
    struct foreign_file file;
    const bool directory = is_directory(name);
    if (snprintf(path, sizeof(path), directory ? "%s/data" : "%s", name) >= (int)sizeof(path))
        return error_set(error, ERROR_PERF, 0, "%s: the path is too long", name);
    if ((directory && !add_kcore(foreign, name, error)) || !foreign_file_read(&file, path, error))
        return false;
    const bool good = perf_open_file(foreign, &file, name, choice, settings, error);
    foreign_file_free(&file);
    return good;
}
