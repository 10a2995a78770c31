#include "decode/foreign/perf_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/foreign/perf_files.h"
#include "decode/foreign/perf_parts.h"
#include "decode/foreign/perf_side.h"
#include "decode/foreign/perf_spaces.h"

#define INTEL_PT 1u

/* What stands in AUXTRACE_INFO behind its type, by the driver's order. */
enum {
    INFO_PMU_TYPE,
    INFO_TIME_SHIFT,
    INFO_TIME_MULT,
    INFO_TIME_ZERO,
    INFO_TIME_KNOWN,
    INFO_NO_RETCOMP = 6,
    INFO_SNAPSHOT = 8,
    INFO_MTC_FREQ = 11,
    INFO_TSC_CTC_N,
    INFO_TSC_CTC_D
};
#define INFO(i) (8u + 8u * (i))

/* Offsets within AUXTRACE. */
enum { AUX_INDEX = 24, AUX_TID = 28, AUX_CPU = 32 };

/* How perf's nanoseconds and the TSC go together: perf_event_open(2), "time_zero". */
struct time_conversion {
    uint64_t zero;
    uint32_t mult; /* 0: nothing is known */
    uint16_t shift;
};

struct reader {
    struct perf_file perf;
    const char *name;
    struct foreign *foreign;
    struct perf_choice *choice;
    struct perf_side side;
    struct perf_buffer buffer;
    struct time_conversion time;
    struct perf_files files;
};

static uint64_t to_tsc(const struct time_conversion *conversion, uint64_t time)
{
    const uint64_t since = time - conversion->zero;
    return (since / conversion->mult << conversion->shift) +
           (since % conversion->mult << conversion->shift) / conversion->mult;
}

static void take_info(struct reader *reader, const struct perf_record *record)
{
    struct flow_input *input = &reader->foreign->trace.input;
    struct perf_attr attr = {.config = 0};
    const uint64_t freq = perf_64(record, INFO(INFO_MTC_FREQ));
    perf_file_event(&attr, &reader->perf, (uint32_t)perf_64(record, INFO(INFO_PMU_TYPE)));
    input->returns_whole = (attr.config & perf_64(record, INFO(INFO_NO_RETCOMP))) != 0;
    if (freq)
        input->mtc_freq = (uint8_t)((attr.config & freq) >> __builtin_ctzll(freq) & 15);
    input->cpuid_15_ebx = perf_32(record, INFO(INFO_TSC_CTC_N));
    input->cpuid_15_eax = perf_32(record, INFO(INFO_TSC_CTC_D));
    reader->buffer.snapshots = perf_64(record, INFO(INFO_SNAPSHOT)) != 0;
    const uint64_t shift = perf_64(record, INFO(INFO_TIME_SHIFT));
    if (perf_64(record, INFO(INFO_TIME_KNOWN)) && shift < 32)
        reader->time = (struct time_conversion){.zero = perf_64(record, INFO(INFO_TIME_ZERO)),
                                                .mult = perf_32(record, INFO(INFO_TIME_MULT)),
                                                .shift = (uint16_t)shift};
}

/* "GenuineIntel,6,158,10,..." */
static void take_cpuid(struct flow_input *input, const struct perf_file *perf)
{
    char text[64] = "";
    char *at = text;
    if (!perf->cpuid || input->cpu_known)
        return;
    memcpy(text, perf->cpuid, perf->cpuid_size < sizeof(text) - 1 ? perf->cpuid_size : sizeof(text) - 1);
    if (strncmp(text, "GenuineIntel,", 13))
        return;
    input->family = (uint16_t)strtoul(at + 13, &at, 10);
    input->model = (uint8_t)(*at ? strtoul(at + 1, &at, 10) : 0);
    input->stepping = (uint8_t)(*at ? strtoul(at + 1, &at, 10) : 0);
    input->cpu_known = true;
}

/* What there is, and which buffer it is to be. */
static bool choose(struct reader *reader, struct error *error)
{
    struct perf_choice *choice = reader->choice;
    struct perf_file perf = reader->perf;
    struct perf_record record;
    uint64_t lowest = PERF_ANY, highest = 0, wanted = choice->buffer;
    while (perf_file_next(&record, &perf, reader->name, error)) {
        if (record.type == PERF_AUXTRACE_INFO && perf_32(&record, 0) != INTEL_PT)
            return error_set(error, ERROR_PERF, 0, "%s: its trace is not Intel PT's", reader->name);
        if (record.type == PERF_AUXTRACE_INFO)
            take_info(reader, &record);
        if (record.type != PERF_AUXTRACE)
            continue;
        const uint64_t index = perf_32(&record, AUX_INDEX);
        lowest = index < lowest ? index : lowest;
        highest = index > highest ? index : highest;
        if (index != (wanted == PERF_ANY ? lowest : wanted))
            continue;
        reader->buffer.index = index;
        reader->buffer.tid = perf_32(&record, AUX_TID);
        reader->buffer.cpu = perf_32(&record, AUX_CPU);
    }
    if (error->kind)
        return false;
    if (lowest == PERF_ANY)
        return error_set(error, ERROR_PERF, 0, "%s: no trace in it", reader->name);
    choice->nr_buffers = highest - lowest + 1;
    choice->buffer = wanted == PERF_ANY ? lowest : wanted;
    reader->buffer.index = choice->buffer;
    return true;
}

/* Code of a program in a space. */
static bool add_mappings(struct reader *reader, size_t program, uint64_t space, struct error *error)
{
    const struct perf_program *p = &reader->side.programs[program];
    for (size_t i = 0; i < p->nr_mappings; i++)
        if (!perf_files_add(&reader->files, &reader->foreign->image, &p->mappings[i], space, error))
            return false;
    return true;
}

/* The switches of the buffer's CPU or thread to programs that have code: others change nothing of user space. *count:
 * of different programs. NULL: no memory, or none. */
static struct perf_point *list_points(const struct reader *reader, size_t *nr_points, size_t *nr_programs)
{
    const struct perf_side *side = &reader->side;
    struct perf_point *points = malloc((side->nr_switches + 1) * sizeof(*points));
    bool *seen = calloc(side->nr_programs + 1, sizeof(*seen));
    *nr_points = *nr_programs = 0;
    for (size_t i = 0; points && seen && i < side->nr_switches; i++) {
        const struct perf_switch *s = &side->switches[i];
        const bool here = reader->buffer.cpu != UINT32_MAX ? s->cpu == reader->buffer.cpu || s->cpu == UINT32_MAX
                                                           : s->tid == reader->buffer.tid;
        if (!here || side->programs[s->program].nr_mappings == 0)
            continue;
        *nr_programs += !seen[s->program];
        seen[s->program] = true;
        points[*nr_points] = (struct perf_point){reader->time.mult ? to_tsc(&reader->time, s->time) : 0, s->program};
        *nr_points += *nr_points == 0 || points[*nr_points - 1].program != s->program;
    }
    free(seen);
    return points;
}

/* All spaces of the programs that ran. */
static bool add_spaces(struct reader *reader, const struct perf_point *points, size_t nr_points, struct error *error)
{
    struct perf_spaces spaces = {0};
    bool good = perf_spaces_find(&spaces, reader->foreign, points, nr_points) ||
                error_set(error, ERROR_MEMORY, 0, "%s", reader->name);
    for (size_t i = 0; i < spaces.count && good; i++)
        if (perf_spaces_is(&spaces, &spaces.items[i]))
            good = add_mappings(reader, spaces.items[i].program, spaces.items[i].cr3, error);
    free(spaces.items);
    return good;
}

/* One space for all: of the process that is wanted, or of the only one, or of the first that was traced. */
static bool add_space(struct reader *reader, const struct perf_point *points, size_t nr_points, struct error *error)
{
    size_t program = nr_points ? points[0].program : PERF_NO_PROGRAM;
    if (reader->choice->pid != PERF_ANY)
        program = perf_side_program(&reader->side, (uint32_t)reader->choice->pid);
    else if (nr_points == 0)
        program = perf_side_program(&reader->side, reader->side.first_pid);
    return program == PERF_NO_PROGRAM || add_mappings(reader, program, 0, error);
}

static bool add_code(struct reader *reader, struct error *error)
{
    size_t nr_points = 0, nr_programs = 0;
    struct perf_point *points = list_points(reader, &nr_points, &nr_programs);
    if (!points)
        return error_set(error, ERROR_MEMORY, 0, "%s", reader->name);
    const bool several = reader->choice->pid == PERF_ANY && nr_programs > 1;
    reader->choice->nr_programs = nr_programs;
    reader->choice->untimed = several && reader->time.mult == 0;
    const bool good = several && reader->time.mult ? add_spaces(reader, points, nr_points, error)
                                                   : add_space(reader, points, nr_points, error);
    free(points);
    return good;
}

bool perf_open_file(struct foreign *foreign, const struct foreign_file *file, const char *name,
                    struct perf_choice *choice, const struct flow_input *settings, struct error *error)
{
    struct reader reader = {.name = name,
                            .foreign = foreign,
                            .choice = choice,
                            .buffer = {.cpu = UINT32_MAX, .tid = UINT32_MAX},
                            .files = {.root = choice->root}};
    foreign->trace.input = *settings;
    foreign->image.later_wins = true;
    bool good = perf_file_open(&reader.perf, file, name, error) && choose(&reader, error);
    if (good)
        take_cpuid(&foreign->trace.input, &reader.perf);
    good = good && perf_parts_take(foreign, &reader.perf, name, &reader.buffer, error) &&
           perf_side_read(&reader.side, &reader.perf, name, error) && add_code(&reader, error);
    choice->nr_missing = reader.files.nr_missing;
    perf_files_free(&reader.files);
    perf_side_free(&reader.side);
    return good && foreign_prepare(foreign, name, error);
}

static bool is_directory(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The kernel's code as it was in the end: an ELF file with all of it. */
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
