#include "decode/query/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "decode/names/symbol_match.h"

enum { NOT_KNOWN, IS_NOT, IS };

static bool make_room(struct wanted_functions *functions, uint32_t number)
{
    if (number < functions->room)
        return true;
    const size_t room = 2 * ((size_t)number + 512);
    uint8_t *known = realloc(functions->known, room);
    if (!known)
        return false;
    memset(known + functions->room, NOT_KNOWN, room - functions->room);
    functions->known = known;
    functions->room = room;
    return true;
}

bool wanted_function(struct wanted_functions *functions, const struct name *name)
{
    if (!functions->pattern)
        return true;
    if (!name->symbol)
        return false;
    if (!make_room(functions, name->number))
        return symbol_matches(name->symbol, functions->pattern);
    uint8_t *known = &functions->known[name->number];
    if (*known == NOT_KNOWN)
        *known = symbol_matches(name->symbol, functions->pattern) ? IS : IS_NOT;
    return *known == IS;
}

void wanted_functions_free(struct wanted_functions *functions)
{
    free(functions->known);
    *functions = (struct wanted_functions){0};
}

/* struct executed_filter */
static bool fits(void *context, const char *symbol)
{
    const struct wanted_functions *functions = context;
    return symbol_matches(symbol, functions->pattern);
}

struct listing_range *wanted_ranges(struct wanted_functions *functions, const struct indexed_capture *indexed,
                                    struct occurrence *occurrence, size_t *count)
{
    size_t nr_executed = 0;
    const struct executed_filter filter = {.matches = fits, .context = functions};
    struct executed_function *executed = functions_executed(indexed, &filter, &nr_executed);
    struct listing_range *ranges = executed ? malloc((nr_executed + 1) * sizeof(*ranges)) : NULL;
    *count = 0;
    *occurrence = (struct occurrence){0};
    for (size_t i = 0; i < nr_executed && ranges; i++) {
        const struct occurrence *o = &executed[i].occurrence;
        if (!wanted_function(functions, executed[i].name))
            continue;
        if (occurrence->runs == 0 || moment_comes_before(&o->first, &occurrence->first))
            occurrence->first = o->first;
        if (occurrence->runs == 0 || moment_comes_before(&occurrence->last, &o->last))
            occurrence->last = o->last;
        occurrence->runs += o->runs;
        occurrence->entered += o->entered;
        ranges[(*count)++] = (struct listing_range){o->begin, o->end};
    }
    free(executed);
    return ranges;
}
