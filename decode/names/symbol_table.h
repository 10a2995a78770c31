/* Functions by address: who stands there, up to where. Pure. */
#ifndef DECODE_NAMES_SYMBOL_TABLE_H
#define DECODE_NAMES_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_entry {
    uint64_t begin, end; /* until symbol_table_finish: end == begin, if the size is not known */
    const char *name;    /* NULL: it has none that is known */
    uint32_t rank;       /* of several at one address the lowest counts */
};

struct symbol_chunk;

struct symbol_table {
    struct symbol_entry *entries; /* by address, none overlaps another */
    size_t count, room;
    struct symbol_chunk *chunks; /* the names */
    bool no_memory;
};

/* Copies the name, if there is one; without, it must have a size. Out of memory: no_memory is set, and nothing is
 * added. */
void symbol_table_add(struct symbol_table *table, uint64_t begin, uint64_t size, const char *name, uint32_t rank);

/* All are added: sort them. One without a size ends where the next one begins; one without a name counts where none
 * with a name is. */
void symbol_table_finish(struct symbol_table *table);
void symbol_table_free(struct symbol_table *table);

/* NULL: nobody knows. Then the stretch without a symbol around the address is begin to end, within those given. */
const struct symbol_entry *symbol_table_find(const struct symbol_table *table, uint64_t address, uint64_t *begin,
                                             uint64_t *end);

#endif
