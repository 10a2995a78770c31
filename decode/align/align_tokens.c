/* What two calls have in common: numbers that are equal if they agree on a level. Pure. */
#include "decode/align/align_state.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

static uint32_t function_of(const struct call_trees *trees, const struct call_item *item)
{
    return trees->trees[item->tree].function;
}

/* Functions that only call another one, which many do, say little: the tree
 * that a chain of them leads to, and the hash of their functions. */
#define CHAIN 8u
static uint32_t follow_chain(const struct call_trees *trees, uint32_t tree, uint64_t *hash)
{
    for (size_t i = 0; i < CHAIN && trees->trees[tree].nr_items == 1; i++) {
        const uint32_t callee = call_tree_items(trees, tree)->tree;
        if (trees->trees[callee].nr_items == 0)
            break;
        *hash = mix(*hash, trees->trees[tree].function);
        tree = callee;
    }
    *hash = mix(*hash, trees->trees[tree].function);
    return tree;
}

/* Which functions it calls, in their order; of what is repeated, the first
 * ones. */
static uint64_t callees_of(const struct call_trees *trees, uint32_t number)
{
    uint64_t hash = 3;
    number = follow_chain(trees, number, &hash);
    const struct call_tree *tree = &trees->trees[number];
    const struct call_item *items = call_tree_items(trees, number);
    uint32_t seen[64];
    size_t nr_seen = 0;
    for (size_t i = 0; i < tree->nr_items && nr_seen < sizeof(seen) / sizeof(seen[0]); i++) {
        const uint32_t function = function_of(trees, &items[i]);
        size_t k = 0;
        while (k < nr_seen && seen[k] != function)
            k++;
        if (k < nr_seen)
            continue;
        seen[nr_seen++] = function;
        hash = mix(hash, function);
    }
    return hash;
}

uint32_t align_callee(const struct call_trees *trees, uint32_t tree)
{
    const struct call_item *items = call_tree_items(trees, tree), *best = NULL;
    for (size_t i = 0; i < trees->trees[tree].nr_items; i++)
        if (!best || trees->trees[items[i].tree].calls > trees->trees[best->tree].calls)
            best = &items[i];
    return best ? function_of(trees, best) : ALIGN_NO_FUNCTION;
}

static uint64_t heaviest_of(const struct call_trees *trees, uint32_t tree)
{
    uint64_t hash = 5;
    tree = follow_chain(trees, tree, &hash);
    return mix(hash, align_callee(trees, tree));
}

uint64_t align_token(const struct call_trees *trees, const struct call_item *item, enum align_level level)
{
    const uint64_t function = function_of(trees, item);
    switch (level) {
    case ALIGN_EQUAL:
        return (uint64_t)item->tree << 32 | item->count;
    case ALIGN_CALLEES:
        return mix(function, callees_of(trees, item->tree));
    case ALIGN_HEAVIEST:
        return mix(function, heaviest_of(trees, item->tree));
    case ALIGN_FUNCTION:
    case ALIGN_NR_LEVELS:
        break;
    }
    return function;
}
