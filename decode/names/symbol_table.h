/* Functions, sorted by address. Pure. */
#ifndef DECODE_NAMES_SYMBOL_TABLE_H
#define DECODE_NAMES_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_entry {
    uint64_t begin, end; /* end == begin before symbol_table_finish: the size is not known */
    const char *name;    /* NULL: not known */
    uint32_t rank;       /* of several at one address the lowest is kept */
};

/* Another name of an entry's function. */
struct symbol_alias {
    const char *name, *kept;
};

struct symbol_chunk;

struct symbol_table {
    struct symbol_entry *entries; /* sorted by address, without overlaps */
    size_t count, room;
    struct symbol_alias *aliases; /* of the entries; filled in by symbol_table_finish */
    size_t nr_aliases, alias_room;
    struct symbol_chunk *chunks; /* the names */
    bool no_memory;
};

/* Add an entry. name is copied; if it is NULL, size must not be 0. If memory runs out, no_memory is set and nothing is
 * added. */
void symbol_table_add(struct symbol_table *table, uint64_t begin, uint64_t size, const char *name, uint32_t rank);

/* Sort the entries, after all were added. Of several at one address the first by rank and name is kept. An entry
 * without a size ends where the next one begins. An entry without a name is dropped where it begins inside one with a
 * name. */
void symbol_table_finish(struct symbol_table *table);
void symbol_table_free(struct symbol_table *table);

/* The entry that covers an address; NULL: there is none. Then *begin and *end are narrowed to the range around the
 * address that no entry covers. */
const struct symbol_entry *symbol_table_find(const struct symbol_table *table, uint64_t address, uint64_t *begin,
                                             uint64_t *end);

#endif
