/* Which program and which process run in a space. */
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/names/names_state.h"

#define PID "pid:" /* before a number */

static int compare(const void *left, const void *right)
{
    const struct name_program *a = left, *b = right;
    if (a->pages != b->pages)
        return a->pages < b->pages ? -1 : 1;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* The index of the first program after the wanted one. */
static size_t first_after(const struct names *names, const struct name_program *wanted)
{
    size_t low = 0, high = names->nr_programs;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&names->programs[middle], wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool same_space(const struct name_program *program, const struct name_program *wanted)
{
    return program->pages == wanted->pages && program->space == wanted->space;
}

void names_add_program(struct names *names, const struct code_pages *pages, uint64_t space, uint64_t from,
                       const struct object *object)
{
    const struct name_program program = {pages, space, from, object};
    const size_t at = first_after(names, &program);
    if (at > 0 && same_space(&names->programs[at - 1], &program) && names->programs[at - 1].object == object)
        return;
    if (!list_add((void **)&names->programs, &names->nr_programs, &names->program_room, sizeof(program)))
        return; /* out of memory: this space has no program name then */
    memmove(names->programs + at + 1, names->programs + at, (names->nr_programs - 1 - at) * sizeof(program));
    names->programs[at] = program;
}

static void take_page(struct names *names, const struct code_pages *pages, uint64_t space, uint64_t from,
                      const struct page_record *page)
{
    const struct page_content *content = page && !page->root ? page_set_find(&names->pages, page->bytes) : NULL;
    if (content && content->nr_claims == 1 && content->claims[0].object->runs && from != UINT64_MAX)
        names_add_program(names, pages, space, from, content->claims[0].object);
}

static void take_map(struct names *names, const struct code_pages *pages, const struct code_map *map)
{
    for (size_t i = 0; i < map->nr_runs; i++)
        for (uint32_t page = 0; page < map->runs[i].pages; page++) {
            uint64_t until = UINT64_MAX;
            const uint64_t gpa = map->runs[i].gpa + (uint64_t)page * RECORD_PAGE_SIZE;
            take_page(names, pages, map->space, map->from,
                      code_memory_at(&pages->memory, false, gpa, map->from, &until));
        }
}

static bool has_programs(const struct names *names)
{
    for (size_t i = 0; i < names->nr_objects; i++)
        if (names->objects[i]->runs)
            return true;
    return false;
}

/* Note the programs in the records of a CPU, once for each CPU. */
static void collect(struct names *names, const struct code_pages *pages)
{
    if (!has_programs(names))
        return;
    for (size_t i = 0; i < names->nr_collected; i++)
        if (names->collected[i] == pages)
            return;
    const struct code_pages **place =
        list_add((void **)&names->collected, &names->nr_collected, &names->collected_room, sizeof(*place));
    if (!place)
        return;
    *place = pages;
    for (size_t i = 0; i < pages->count; i++) {
        const struct page_record *page = &pages->records[i];
        if (!(page->gva >> 63))
            take_page(names, pages, code_pages_space(pages, page->space), page->from, page);
    }
    for (size_t i = 0; i < pages->nr_maps; i++)
        if (!(pages->maps[i].linear >> 63))
            take_map(names, pages, &pages->maps[i]);
}

const char *names_process(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at)
{
    const struct name_program wanted = {.pages = pages, .space = code_pages_space(pages, cr3), .from = at};
    collect(names, pages);
    const size_t next = first_after(names, &wanted);
    if (next > 0 && same_space(&names->programs[next - 1], &wanted))
        return names->programs[next - 1].object->name;
    if (next < names->nr_programs && same_space(&names->programs[next], &wanted))
        return names->programs[next].object->name;
    return NULL;
}

const struct name_task *names_task(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at)
{
    struct name_space_task *cached = &names->space_tasks[cr3 / RECORD_PAGE_SIZE % NAME_SPACE_TASKS];
    if (cached->pages != pages || cached->cr3 != cr3 || at < cached->from || at >= cached->until) {
        *cached = (struct name_space_task){.pages = pages, .cr3 = cr3, .from = at};
        cached->task = tasks_find_until(&names->tasks, pages->cpu, cr3, at, &cached->until);
    }
    return cached->task;
}

bool names_has_processes(const struct names *names)
{
    return names->tasks.count > 0;
}

const struct name_thread *names_thread(const struct names *names, const struct code_pages *pages, uint64_t after,
                                       uint64_t at)
{
    return tasks_last_thread(&names->tasks, pages->cpu, after, at);
}

const char *names_process_text(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at)
{
    const struct name_task *task = names_task(names, pages, cr3, at);
    return task ? task->text : names_process(names, pages, cr3, at);
}

bool names_is_process(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                      const char *called)
{
    const struct name_task *task = names_task(names, pages, cr3, at);
    if (task && !strcmp(called, task->comm))
        return true;
    if (!strncmp(called, PID, strlen(PID)))
        return task && strtoul(called + strlen(PID), NULL, 10) == task->pid;
    const char *program = names_process(names, pages, cr3, at);
    return program && !strcmp(called, program);
}
