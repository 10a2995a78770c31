#include "decode/names/known_symbol.h"

#include <ctype.h>
#include <string.h>

#include "decode/names/names_state.h"
#include "decode/names/symbol_match.h"

/* Longer names are compared up to here. */
#define LONGEST 64u

struct search {
    const char *pattern;
    bool any, found;
    const char **similar;
    unsigned distances[SYMBOL_SIMILAR];
};

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many characters must be changed, added or removed to make one word of the other (Levenshtein), without regard to
 * case. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[LONGEST + 1];
    const size_t size = strnlen(b, LONGEST);
    for (unsigned k = 0; k <= size; k++)
        row[k] = k;
    for (unsigned i = 0; i < LONGEST && a[i]; i++) {
        unsigned diagonal = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < size; k++) {
            const bool equal = tolower((unsigned char)a[i]) == tolower((unsigned char)b[k]);
            const unsigned changed = diagonal + !equal;
            diagonal = row[k + 1];
            row[k + 1] = smaller(changed, smaller(row[k], diagonal) + 1);
        }
    }
    return row[size];
}

/* Insert a symbol among the best, unless it is there or differs in more than a third of the characters. */
static void take_similar(struct search *search, const char *symbol)
{
    const size_t wanted = strlen(search->pattern), length = strlen(symbol);
    const size_t most = wanted / 3 + 1;
    if (length > wanted + most || wanted > length + most)
        return;
    const unsigned own = distance(search->pattern, symbol);
    if (own > most)
        return;
    for (size_t i = 0; i < SYMBOL_SIMILAR; i++) {
        if (search->similar[i] && !strcmp(search->similar[i], symbol))
            return;
        if (search->similar[i] && search->distances[i] <= own)
            continue;
        for (size_t k = SYMBOL_SIMILAR - 1; k > i; k--) {
            search->similar[k] = search->similar[k - 1];
            search->distances[k] = search->distances[k - 1];
        }
        search->similar[i] = symbol;
        search->distances[i] = own;
        return;
    }
}

static void take_object(struct search *search, const struct object *object)
{
    for (size_t i = 0; i < object->symbols.count && !search->found; i++) {
        const char *symbol = object->symbols.entries[i].name;
        if (!symbol)
            continue;
        search->any = true;
        search->found = symbol_matches(symbol, search->pattern);
        if (!search->found)
            take_similar(search, symbol);
    }
}

enum known_symbol known_symbol_find(const struct names *names, const char *pattern, const char *similar[SYMBOL_SIMILAR])
{
    struct search search = {.pattern = pattern, .similar = similar};
    for (size_t i = 0; i < SYMBOL_SIMILAR; i++)
        similar[i] = NULL;
    if (names->kernel_object)
        take_object(&search, names->kernel_object);
    for (size_t i = 0; i < names->nr_objects && !search.found; i++)
        take_object(&search, names->objects[i]);
    return search.found ? SYMBOL_KNOWN : search.any ? SYMBOL_UNKNOWN : SYMBOL_NO_NAMES;
}

static bool is_shown(const struct object *object, const char *symbol)
{
    for (size_t i = 0; i < object->symbols.count; i++)
        if (object->symbols.entries[i].name && !strcmp(object->symbols.entries[i].name, symbol))
            return true;
    return false;
}

static const char *shown_for(const struct object *object, const char *symbol)
{
    for (size_t i = 0; i < object->symbols.nr_aliases; i++)
        if (!strcmp(object->symbols.aliases[i].name, symbol))
            return object->symbols.aliases[i].kept;
    return NULL;
}

const char *known_symbol_shown(const struct names *names, const char *symbol)
{
    const struct object *kernel = names->kernel_object;
    const char *shown = kernel ? shown_for(kernel, symbol) : NULL;
    bool found = kernel && is_shown(kernel, symbol);
    for (size_t i = 0; i < names->nr_objects && !found; i++) {
        found = is_shown(names->objects[i], symbol);
        shown = shown ? shown : shown_for(names->objects[i], symbol);
    }
    return shown && !found ? shown : symbol;
}
