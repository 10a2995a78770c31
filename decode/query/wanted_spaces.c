#include "decode/query/wanted_spaces.h"

#include <stdlib.h>
#include <string.h>

/* What is known about the programs in a space: own: the requested one; other: another one; perhaps: the requested one
 * may have had the space earlier. */
struct seen {
    bool own, other, perhaps;
};

static bool is_space(const struct indexed_capture *indexed, const struct index_space *space, uint64_t cr3)
{
    if (space->cr3 == cr3)
        return true;
    for (unsigned cpu = 0; cpu < indexed->capture->nr_cpus; cpu++) {
        const struct code_pages *pages = &indexed->traces[cpu].pages;
        if (space->cr3 != FLOW_CR3_UNKNOWN && pages->nr_maps &&
            code_pages_space(pages, space->cr3) == code_pages_space(pages, cr3))
            return true;
    }
    return false;
}

/* Note whether the requested program was in the space at the end and at the beginning of a stretch. */
static void note_program(struct seen *seen, const struct indexed_capture *indexed, const struct index_space *space,
                         uint32_t stretch, const char *called)
{
    const struct code_pages *pages = &indexed->traces[index_chunk_of(&indexed->index, stretch)->cpu].pages;
    const char *program = names_process(indexed->names, pages, space->cr3, indexed->index.stretches[stretch].end - 1);
    if (program && !strcmp(program, called))
        seen->own = true;
    else
        seen->other = true;
    program = names_process(indexed->names, pages, space->cr3, indexed->index.stretches[stretch].begin);
    seen->perhaps |= seen->own || (program && !strcmp(program, called));
}

/* If the pid of a space is known, its first code identifies the program. Otherwise the CR3 may have been used by
 * several processes, so the last code is checked, too. */
static void note_programs(struct seen *seen, const struct indexed_capture *indexed, const char *called)
{
    for (uint64_t i = 0; i < indexed->index.header->counts[INDEX_RUNS]; i++) {
        const struct run *run = &indexed->index.runs[i];
        const struct index_space *space = &indexed->index.spaces[run->first_space];
        struct seen *place = &seen[run->first_space];
        if (run_is_shared(run->begin) || space->cr3 == FLOW_CR3_UNKNOWN || (space->pid && (place->own || place->other)))
            continue;
        note_program(place, indexed, space, run->first_stretch, called);
        if (!space->pid)
            note_program(place, indexed, space, run->last_stretch, called);
    }
}

static bool is_called(const struct index_space *space, const char *called)
{
    static const char pid[] = "pid:";
    if (!strncmp(called, pid, sizeof(pid) - 1))
        return space->pid && strtoul(called + sizeof(pid) - 1, NULL, 10) == space->pid;
    return space->pid && !strcmp(space->comm, called);
}

bool wanted_spaces_find(struct wanted_spaces *spaces, const struct indexed_capture *indexed, uint64_t cr3,
                        const char *called, bool generous)
{
    const uint64_t count = indexed->index.header->counts[INDEX_SPACES];
    struct seen *seen = calloc((size_t)count + 1, sizeof(*seen));
    *spaces = (struct wanted_spaces){.meant = calloc((size_t)count + 1, sizeof(*spaces->meant))};
    if (seen && spaces->meant && cr3 == FLOW_CR3_UNKNOWN)
        note_programs(seen, indexed, called);
    for (uint64_t i = 0; i < count && seen && spaces->meant; i++) {
        const struct index_space *space = &indexed->index.spaces[i];
        spaces->meant[i] = cr3 != FLOW_CR3_UNKNOWN
                               ? is_space(indexed, space, cr3)
                               : is_called(space, called) || seen[i].own || (generous && seen[i].perhaps);
        spaces->count += spaces->meant[i];
        spaces->mixed |= seen[i].own && seen[i].other;
    }
    free(seen);
    return seen && spaces->meant;
}

void wanted_spaces_free(struct wanted_spaces *spaces)
{
    free(spaces->meant);
    *spaces = (struct wanted_spaces){0};
}
