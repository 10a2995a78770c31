#include "decode/align/call_trees.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define TREE_CHAINS (1u << 22)
#define FUNCTION_CHAINS (1u << 16)
#define PAGE_BITS 0xfffu

bool call_trees_init(struct call_trees *trees)
{
    *trees = (struct call_trees){.most = CALL_TREES_MOST,
                                 .tree_table = calloc(TREE_CHAINS, sizeof(uint32_t)),
                                 .function_table = calloc(FUNCTION_CHAINS, sizeof(uint32_t))};
    trees->no_memory = !trees->tree_table || !trees->function_table;
    return !trees->no_memory;
}

void call_trees_free(struct call_trees *trees)
{
    free(trees->trees);
    free(trees->items);
    for (size_t i = 0; i < trees->nr_functions; i++) {
        free(trees->functions[i].symbol);
        free(trees->functions[i].object);
        free(trees->functions[i].shown);
    }
    free(trees->functions);
    free(trees->tree_table);
    free(trees->function_table);
    *trees = (struct call_trees){0};
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = mix(hash, (uint8_t)*text);
    return mix(hash, 256);
}

/* --- functions --- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_function(const struct call_function *function, const struct name *name)
{
    return same_text(function->symbol, name->symbol) && same_text(function->object, name->object) &&
           (name->symbol || (function->begin & PAGE_BITS) == (name->begin & PAGE_BITS));
}

/* NULL stays NULL. */
static char *copy(struct call_trees *trees, const char *text)
{
    char *made = text ? strdup(text) : NULL;
    trees->no_memory |= text && !made;
    return made;
}

uint32_t call_trees_function(struct call_trees *trees, const struct name *name)
{
    uint64_t hash = mix_text(mix_text(1, name->symbol), name->object);
    if (!name->symbol)
        hash = mix(hash, name->begin & PAGE_BITS);
    uint32_t *chain = &trees->function_table[hash % FUNCTION_CHAINS];
    for (uint32_t at = *chain; at; at = trees->functions[at - 1].next)
        if (is_function(&trees->functions[at - 1], name))
            return at - 1;
    void *functions = trees->functions;
    struct call_function *added =
        list_add(&functions, &trees->nr_functions, &trees->function_room, sizeof(*trees->functions));
    trees->functions = functions;
    if (!added) {
        trees->no_memory = true;
        return 0;
    }
    *added = (struct call_function){copy(trees, name->symbol), copy(trees, name->object), copy(trees, name->shown),
                                    name->begin, *chain};
    *chain = (uint32_t)trees->nr_functions;
    return *chain - 1;
}

/* --- trees --- */

static bool is_tree(const struct call_trees *trees, const struct call_tree *tree, uint32_t function,
                    const struct call_item *items, size_t nr_items)
{
    return tree->function == function && tree->nr_items == nr_items &&
           (nr_items == 0 || !memcmp(trees->items + tree->first, items, nr_items * sizeof(*items)));
}

static bool has_room(struct call_trees *trees, size_t nr_items)
{
    if (trees->nr_items + nr_items <= trees->item_room)
        return true;
    const size_t room = 2 * (trees->nr_items + nr_items) + 1024;
    struct call_item *items = realloc(trees->items, room * sizeof(*items));
    if (items) {
        trees->items = items;
        trees->item_room = room;
    }
    trees->no_memory = !items;
    return items;
}

uint32_t call_trees_add(struct call_trees *trees, uint32_t function, const struct call_item *items, size_t nr_items)
{
    uint64_t hash = mix(2, function), calls = 1;
    for (size_t i = 0; i < nr_items; i++) {
        hash = mix(hash, (uint64_t)items[i].tree << 32 | items[i].count);
        calls += items[i].count * trees->trees[items[i].tree].calls;
    }
    uint32_t *chain = &trees->tree_table[hash % TREE_CHAINS];
    for (uint32_t at = *chain; at; at = trees->trees[at - 1].next)
        if (is_tree(trees, &trees->trees[at - 1], function, items, nr_items))
            return at - 1;
    if (!has_room(trees, nr_items))
        return 0;
    void *all = trees->trees;
    struct call_tree *tree = list_add(&all, &trees->count, &trees->room, sizeof(*tree));
    trees->trees = all;
    if (!tree) {
        trees->no_memory = true;
        return 0;
    }
    *tree = (struct call_tree){calls, function, (uint32_t)trees->nr_items, (uint32_t)nr_items, *chain};
    if (nr_items > 0)
        memcpy(trees->items + trees->nr_items, items, nr_items * sizeof(*items));
    trees->nr_items += nr_items;
    *chain = (uint32_t)trees->count;
    trees->full = trees->count >= trees->most || trees->nr_items >= CALL_TREES_MOST_ITEMS;
    return *chain - 1;
}
