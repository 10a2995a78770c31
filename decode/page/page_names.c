/* The facts' functions, by number. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/page/page_state.h"

/* Objects by number. There are few; names of the same object share one string. */
struct objects {
    const char **names;
    size_t count, room;
    bool no_memory;
};

static int64_t object_number(struct objects *objects, const char *name)
{
    if (!name)
        return -1;
    for (size_t i = objects->count; i-- > 0;)
        if (objects->names[i] == name || !strcmp(objects->names[i], name))
            return (int64_t)i;
    void *names = objects->names;
    const char **place = list_add(&names, &objects->count, &objects->room, sizeof(*place));
    objects->names = names;
    if (!place) {
        objects->no_memory = true;
        return -1;
    }
    *place = name;
    return (int64_t)objects->count - 1;
}

/* NULL: no memory. */
static struct profile_function *functions_by_number(const struct page *page)
{
    size_t count;
    struct profile_function *by_number = calloc(names_count(page->run->names) + 1, sizeof(*by_number));
    struct profile_function *functions = profile_functions(&page->profile, 0, &count);
    for (size_t i = 0; i < count && by_number && functions; i++)
        by_number[functions[i].name->number] = functions[i];
    if (!functions) {
        free(by_number);
        by_number = NULL;
    }
    free(functions);
    return by_number;
}

/* Functions that were never entered may have higher numbers than those that were. */
static struct page_ran ran_of(const struct page *page, uint32_t number)
{
    return number < page->ran_room ? page->ran[number] : (struct page_ran){0};
}

static void write_name(FILE *file, const struct page *page, const struct name *name,
                       const struct profile_function *function, int64_t object)
{
    const struct page_ran ran = ran_of(page, name->number);
    fputc('[', file);
    page_write_text(file, name->shown);
    fprintf(file,
            ",%" PRId64 ",\"%016" PRIx64 "\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
            object, name->begin, name->end - name->begin, function->calls, function->branches, function->ticks,
            function->total_branches, function->total_ticks);
    if (ran.last)
        fprintf(file, ",%" PRIu32 ",%" PRIu32 "]", page_moment(page, ran.first), page_moment(page, ran.last));
    else
        fputs(",null,null]", file);
}

bool page_write_names(FILE *file, const struct page *page, enum page_form form)
{
    struct objects objects = {0};
    struct profile_function *functions = functions_by_number(page);
    if (!functions)
        return false;
    fputs("\"names\":[", file);
    for (uint32_t i = 0; i < names_count(page->run->names); i++) {
        const struct name *name = names_by_number(page->run->names, i);
        const struct profile_function *function = &functions[i];
        const bool ran = function->calls || function->total_branches || ran_of(page, i).last;
        fputs(i ? ",\n" : "\n", file);
        if (ran || form == PAGE_HTML)
            write_name(file, page, name, function, object_number(&objects, name->object));
        else
            fputc('0', file);
    }
    fputs("],\n\"objects\":[", file);
    for (size_t i = 0; i < objects.count; i++) {
        fputs(i ? "," : "", file);
        page_write_text(file, objects.names[i]);
    }
    fputs("],\n", file);
    free(objects.names);
    free(functions);
    return !objects.no_memory;
}
