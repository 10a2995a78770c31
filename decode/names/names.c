#include "decode/names/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/names/names_state.h"

#define ANSWERS (1u << 16)

static bool report_tasks(struct names *names)
{
    if (names->tasks.count == 0)
        return names_add_line(names, "processes: by CR3 and program; the capture has no TASK records (option tasks=)");
    return names_add_line(names, "processes: %zu by number and name, as the guest's kernel has them",
                          names->tasks.nr_processes);
}

struct names *names_open(const struct capture *capture, const struct names_options *options, struct error *error)
{
    struct names *names = calloc(1, sizeof(*names));
    bool good =
        names && (names->answers = calloc(ANSWERS, sizeof(*names->answers))) &&
        (names->recent = calloc(NAME_PAGES, sizeof(*names->recent))) && page_set_collect(&names->pages, capture) &&
        tasks_collect(&names->tasks, capture) &&
        name_list_get(&names->list, NULL, NULL, UINT64_MAX, UINT64_MAX); /* number 0: returned when out of memory */
    if (good && names_read_kernel(names, options, error) && names_read_files(names, options, error) &&
        report_tasks(names))
        return names;
    error_set(error, ERROR_MEMORY, 0, "names");
    if (names)
        names_close(names);
    return NULL;
}

void names_close(struct names *names)
{
    object_free(names->kernel_object);
    kernel_image_close(&names->kernel);
    page_set_free(&names->pages);
    for (size_t i = 0; i < names->nr_objects; i++)
        object_free(names->objects[i]);
    for (size_t i = 0; i < names->nr_about; i++)
        free(names->about[i]);
    name_list_free(&names->list);
    for (size_t i = 0; i < names->nr_debug; i++)
        free(names->debug[i]);
    free(names->debug);
    free(names->kernel_path);
    free(names->objects);
    free(names->about);
    free(names->answers);
    free(names->recent);
    free(names->programs);
    free(names->collected);
    tasks_free(&names->tasks);
    free(names);
}

static const struct name *name_in(struct names *names, const struct object *object, uint64_t moved, uint64_t address)
{
    uint64_t begin, end;
    const struct symbol_entry *entry = object_find(object, address - moved, &begin, &end);
    return name_list_get(&names->list, object->name, entry ? entry->name : NULL, begin + moved, end + moved);
}

/* Several objects claim the page: the symbol, if they all have the same one there. */
static const struct name *name_agreed(struct names *names, const struct page_content *content, uint64_t gva,
                                      uint64_t address)
{
    const struct symbol_entry *agreed = NULL;
    uint64_t first = 0, last = 0;
    for (size_t i = 0; i < content->nr_claims; i++) {
        const struct page_claim *claim = &content->claims[i];
        const uint64_t moved = gva - claim->address;
        uint64_t begin, end;
        const struct symbol_entry *entry = object_find(claim->object, address - moved, &begin, &end);
        if (!entry || !entry->name ||
            (i > 0 && (strcmp(entry->name, agreed->name) || begin + moved != first || end + moved != last)))
            return NULL;
        agreed = entry;
        first = begin + moved;
        last = end + moved;
    }
    return agreed ? name_list_get(&names->list, NULL, agreed->name, first, last) : NULL;
}

/* *until: the answer holds before this trace offset. */
static const struct name *look_up(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                                  uint64_t address, uint64_t *until)
{
    const uint64_t gva = address & ~(uint64_t)(RECORD_PAGE_SIZE - 1), space = code_pages_space(pages, cr3);
    const struct name_page *found = names_page_cached(names, pages, space, at, gva);
    const struct name *name = NULL;
    *until = found->until;
    if (found->page && !found->page->root) {
        const struct page_origin origin = names_page_origin(names, found, at);
        if (origin.object) {
            name = name_in(names, origin.object, origin.moved, address);
            if (origin.object->runs && !(gva >> 63))
                names_add_program(names, pages, space, at, origin.object);
        } else if (origin.shared) {
            name = name_agreed(names, origin.shared, gva, address);
        }
    }
    return name ? name : name_list_get(&names->list, NULL, NULL, gva, gva + RECORD_PAGE_SIZE);
}

const struct name *names_find(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                              uint64_t address)
{
    const bool kernel = address >= names->kernel_begin && address < names->kernel_end;
    const uint64_t space = address >> 63 ? 0 : cr3; /* the kernel's half is the same in all spaces */
    pages = kernel ? NULL : pages;
    const uint64_t hash = (address ^ space * 13 ^ (uintptr_t)pages) * 0x9e3779b97f4a7c15ull;
    struct name_answer *answer = &names->answers[hash >> 48];
    if (answer->name && answer->address == address && answer->space == space && answer->pages == pages &&
        at >= answer->from && at < answer->until)
        return answer->name;
    uint64_t until = UINT64_MAX;
    const struct name *name = kernel ? name_in(names, names->kernel_object, names->kernel_moved, address)
                                     : look_up(names, pages, cr3, at, address, &until);
    *answer = (struct name_answer){pages, space, address, kernel ? 0 : at, until, name};
    return name ? name : names_by_number(names, 0);
}

static bool is_known(const struct name *name)
{
    return name->object || name->symbol;
}

const struct name *names_called(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                                uint64_t address)
{
    const struct name *name = names_find(names, pages, cr3, at, address);
    if (is_known(name) || address >> 63)
        return name;
    const uint64_t gva = address & ~(uint64_t)(RECORD_PAGE_SIZE - 1);
    const struct name_page *found = names_page_cached(names, pages, code_pages_space(pages, cr3), at, gva);
    return found->page || found->until == UINT64_MAX ? name : names_find(names, pages, cr3, found->until, address);
}

const struct name *names_within(struct names *names, const struct code_pages *pages, uint64_t cr3,
                                const struct names_stretch *stretch, uint64_t address, uint64_t *at)
{
    const uint64_t gva = address & ~(uint64_t)(RECORD_PAGE_SIZE - 1), space = code_pages_space(pages, cr3);
    const struct name *last = names_called(names, pages, cr3, *at = stretch->end, address);
    for (uint64_t when = stretch->begin; !is_known(last) && when < stretch->end;) {
        const struct name *name = names_find(names, pages, cr3, when, address);
        if (is_known(name)) {
            *at = when;
            return name;
        }
        when = names_page_cached(names, pages, space, when, gva)->until;
    }
    return last;
}

const struct name *names_entry(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                               uint64_t address)
{
    const struct name *name = names_called(names, pages, cr3, at, address);
    const struct name *entry =
        name->symbol ? name : name_list_get(&names->list, name->object, NULL, address, name->end);
    return entry ? entry : name;
}
