/*
 * Call trees of which equal ones are one: a tree is its function and the trees
 * that it called, in their order. Two boots share them, so that the same tree
 * in both has the same number. Functions are distinguished by their names, not
 * by their addresses, which KASLR and ASLR move. Pure.
 */
#ifndef DECODE_ALIGN_CALL_TREES_H
#define DECODE_ALIGN_CALL_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/names.h"

/* At most so many different trees, and calls that they list: 24 and 8 bytes
 * each. */
#define CALL_TREES_MOST (1u << 24)
#define CALL_TREES_MOST_ITEMS (1u << 26)

/* So many equal trees one after another. */
struct call_item {
    uint32_t tree, count;
};

struct call_tree {
    uint64_t calls; /* in it, itself included */
    uint32_t function, first, nr_items;
    uint32_t next; /* of its chain in the hash table, plus 1 */
};

/* A function, as it is compared. */
struct call_function {
    char *symbol, *object; /* NULL: not known */
    char *shown;           /* the symbol for people */
    uint64_t begin;        /* of the one that was seen first */
    uint32_t next;
};

struct call_trees {
    struct call_tree *trees;
    size_t count, room;
    struct call_item *items;
    size_t nr_items, item_room;
    struct call_function *functions;
    size_t nr_functions, function_room;
    uint32_t *tree_table, *function_table; /* chains, plus 1 */
    size_t most;                           /* trees; may be changed */
    bool full;                             /* a limit was reached: the caller should add no more */
    bool no_memory;
};

/* false: no memory. */
bool call_trees_init(struct call_trees *trees);
void call_trees_free(struct call_trees *trees);

/* The number of a function. Symbol and object decide. Where there is no symbol,
 * the object and the last 12 bits of the address do, which no randomization
 * changes. */
uint32_t call_trees_function(struct call_trees *trees, const struct name *name);

/* The number of the tree with this function that called these trees. */
uint32_t call_trees_add(struct call_trees *trees, uint32_t function, const struct call_item *items, size_t nr_items);

static inline const struct call_item *call_tree_items(const struct call_trees *trees, uint32_t tree)
{
    return trees->items + trees->trees[tree].first;
}

#endif
