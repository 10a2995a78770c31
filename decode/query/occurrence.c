#include "decode/query/occurrence.h"

#include <stdlib.h>

#include "decode/names/name_offsets.h"
#include "decode/query/run_check.h"

bool moment_comes_before(const struct moment *a, const struct moment *b)
{
    return a->tsc && b->tsc && a->tsc != b->tsc ? a->tsc < b->tsc : a->stretch < b->stretch;
}

static struct moment first_of(const struct indexed_capture *indexed, const struct run *run)
{
    return (struct moment){run->first_tsc, run->first_stretch, &indexed->index.spaces[run->first_space]};
}

static struct moment last_of(const struct indexed_capture *indexed, const struct run *run)
{
    return (struct moment){run->last_tsc, run->last_stretch, &indexed->index.spaces[run->last_space]};
}

/* Does an instruction of the run begin at the address, according to the code at a trace offset? That code must lead
 * from run->begin to run->last: to an instruction there, or, if an event ended the run, past it. */
static bool begins_at(const struct code_pages *pages, uint64_t space, uint64_t at, const struct run *run,
                      uint64_t address)
{
    const enum instruction_mode mode = (enum instruction_mode)run->mode;
    return (run_check(pages, space, at, mode, run->begin, run->last) ||
            run_check(pages, space, at, mode, run->begin, run->last + 1)) &&
           run_check(pages, space, at, mode, run->begin, address) > 0;
}

bool run_has_instruction(const struct indexed_capture *indexed, const struct run *run, uint64_t address)
{
    const uint32_t stretches[2] = {run->first_stretch, run->last_stretch};
    const uint64_t cr3s[2] = {indexed->index.spaces[run->first_space].cr3, indexed->index.spaces[run->last_space].cr3};
    if (address <= run->begin || address > run->last)
        return address == run->begin;
    for (unsigned i = 0; i < 2; i++) {
        const struct index_stretch *stretch = &indexed->index.stretches[stretches[i]];
        const struct code_pages *pages = &indexed->traces[index_chunk_of(&indexed->index, stretches[i])->cpu].pages;
        const uint64_t space = cr3s[i] == FLOW_CR3_UNKNOWN ? CODE_SPACE_UNKNOWN : code_pages_space(pages, cr3s[i]);
        if (begins_at(pages, space, stretch->end - 1, run, address) ||
            begins_at(pages, space, stretch->begin, run, address))
            return true;
    }
    return false;
}

/* Does the run belong to one of the spaces? Runs of the kernel's half belong to all. */
static bool is_of_space(const bool *spaces, const struct run *run)
{
    return !spaces || run_is_shared(run->begin) || spaces[run->first_space];
}

static bool is_meant(const struct occurrence *occurrence, const struct run *run)
{
    return run->begin < occurrence->end && run->last >= occurrence->begin && is_of_space(occurrence->spaces, run);
}

void occurrence_add(struct occurrence *occurrence, const struct indexed_capture *indexed, const struct run *run)
{
    const struct moment first = first_of(indexed, run), last = last_of(indexed, run);
    if (!is_meant(occurrence, run))
        return;
    if (run->begin <= occurrence->begin && run_has_instruction(indexed, run, occurrence->begin))
        occurrence->entered += run->count;
    if (occurrence->runs == 0 || moment_comes_before(&first, &occurrence->first))
        occurrence->first = first;
    if (occurrence->runs == 0 || !moment_comes_before(&last, &occurrence->last))
        occurrence->last = last;
    occurrence->runs += run->count;
}

void occurrence_find(struct occurrence *occurrence, const struct indexed_capture *indexed)
{
    const bool one = occurrence->end - occurrence->begin == 1;
    for (uint64_t i = 0; i < indexed->index.header->counts[INDEX_RUNS]; i++) {
        const struct run *run = &indexed->index.runs[i];
        if (run->begin >= occurrence->end)
            break;
        if (is_meant(occurrence, run) && (!one || run_has_instruction(indexed, run, occurrence->begin)))
            occurrence_add(occurrence, indexed, run);
    }
}

static int compare_functions(const void *left, const void *right)
{
    const struct executed_function *a = left, *b = right;
    if (a->name->begin != b->name->begin)
        return a->name->begin < b->name->begin ? -1 : 1;
    return a->name->number < b->name->number ? -1 : a->name->number > b->name->number;
}

/* Add a run to all functions that it passes through: it may continue into the next function. */
static bool add_run(struct executed_function **functions, size_t *room, const struct indexed_capture *indexed,
                    const struct run *run)
{
    for (uint64_t address = run->begin; address <= run->last;) {
        const struct name *name =
            indexed_capture_name(indexed, run->first_stretch, indexed->index.spaces[run->first_space].cr3, address);
        if (name->number >= *room) {
            const size_t more = 2 * ((size_t)name->number + 512);
            struct executed_function *grown = realloc(*functions, more * sizeof(*grown));
            if (!grown)
                return false;
            for (size_t i = *room; i < more; i++)
                grown[i] = (struct executed_function){0};
            *functions = grown;
            *room = more;
        }
        struct executed_function *function = &(*functions)[name->number];
        if (!function->name) {
            function->name = name;
            function->occurrence = (struct occurrence){.begin = name->begin, .end = name->end};
        }
        occurrence_add(&function->occurrence, indexed, run);
        if (name->end <= address)
            break;
        address = name->end;
    }
    return true;
}

/* Finding names takes most of the time, so it is skipped for runs that cannot contain a requested function. */
static bool add_runs(struct executed_function **functions, size_t *room, const struct indexed_capture *indexed,
                     const struct executed_filter *filter)
{
    struct name_offsets offsets;
    bool good = true;
    if (filter->matches)
        name_offsets_find(&offsets, indexed->names, filter->matches, filter->context);
    for (uint64_t i = 0; i < indexed->index.header->counts[INDEX_RUNS] && good; i++) {
        const struct run *run = &indexed->index.runs[i];
        const bool of_process = indexed->index.spaces[run->first_space].pid;
        if (is_of_space(filter->spaces, run) &&
            (!filter->matches || name_offsets_may(&offsets, of_process, run->begin, run->last)))
            good = add_run(functions, room, indexed, run);
    }
    return good;
}

struct executed_function *functions_executed(const struct indexed_capture *indexed,
                                             const struct executed_filter *filter, size_t *count)
{
    struct executed_function *functions = NULL;
    size_t room = 0, kept = 0;
    if (!add_runs(&functions, &room, indexed, filter)) {
        free(functions);
        return NULL;
    }
    for (size_t i = 0; i < room; i++)
        if (functions[i].name)
            functions[kept++] = functions[i];
    if (kept)
        qsort(functions, kept, sizeof(*functions), compare_functions);
    *count = kept;
    return functions ? functions : calloc(1, sizeof(*functions));
}
