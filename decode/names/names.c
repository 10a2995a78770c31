/* Until the files of this room are there: a file like System.map, and pages without a name. */
#include "decode/names/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/code/symbols.h"

#define CHUNK 4096u

struct place {
    uint64_t begin;
    const struct name *name;
};

struct names {
    struct symbols symbols;
    struct name **chunks;
    size_t count, nr_chunks;
    struct place *table; /* by begin */
    size_t size, used;
    char about[80];
};

struct names *names_open(const struct capture *capture, const struct names_options *options, struct error *error)
{
    struct names *names = calloc(1, sizeof(*names));
    (void)capture;
    names->size = 1u << 16;
    names->table = calloc(names->size, sizeof(*names->table));
    if (options->symbols && !symbols_read(&names->symbols, options->symbols, error))
        return NULL;
    snprintf(names->about, sizeof(names->about), "symbols: %zu", names->symbols.count);
    return names;
}

void names_close(struct names *names)
{
    symbols_free(&names->symbols);
    for (size_t i = 0; i < names->nr_chunks; i++)
        free(names->chunks[i]);
    free(names->chunks);
    free(names->table);
    free(names);
}

static struct place *place_of(const struct names *names, uint64_t begin)
{
    size_t at = (size_t)(begin * 0x9e3779b97f4a7c15ull >> 20) & (names->size - 1);
    while (names->table[at].name && names->table[at].begin != begin)
        at = (at + 1) & (names->size - 1);
    return &names->table[at];
}

static void grow(struct names *names)
{
    struct place *old = names->table;
    const size_t size = names->size;
    names->size *= 2;
    names->table = calloc(names->size, sizeof(*names->table));
    for (size_t i = 0; i < size; i++)
        if (old[i].name)
            *place_of(names, old[i].begin) = old[i];
    free(old);
}

static const struct name *find(struct names *names, uint64_t address, uint64_t mask)
{
    const struct symbol *symbol = symbols_find(&names->symbols, address);
    const uint64_t begin = symbol ? symbol->address : address & mask;
    struct place *place = place_of(names, begin);
    if (place->name)
        return place->name;
    if (names->count == names->nr_chunks * CHUNK) {
        names->chunks = realloc(names->chunks, (names->nr_chunks + 1) * sizeof(*names->chunks));
        names->chunks[names->nr_chunks++] = malloc(CHUNK * sizeof(struct name));
    }
    struct name *name = &names->chunks[names->count / CHUNK][names->count % CHUNK];
    *name = (struct name){.begin = begin,
                          .end = symbol && symbol + 1 < names->symbols.items + names->symbols.count ? symbol[1].address
                                                                                                    : begin + 4096,
                          .symbol = symbol ? symbol->name : NULL,
                          .number = (uint32_t)names->count++};
    *place = (struct place){begin, name};
    if (++names->used * 2 > names->size)
        grow(names);
    return name;
}

const struct name *names_find(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                              uint64_t address)
{
    (void)pages;
    (void)cr3;
    (void)at;
    return find(names, address, ~4095ull);
}

const struct name *names_entry(struct names *names, const struct code_pages *pages, uint64_t cr3, uint64_t at,
                               uint64_t address)
{
    (void)pages;
    (void)cr3;
    (void)at;
    return find(names, address, ~0ull);
}

size_t names_count(const struct names *names)
{
    return names->count;
}

const struct name *names_by_number(const struct names *names, uint32_t number)
{
    return &names->chunks[number / CHUNK][number % CHUNK];
}

const char *names_about(const struct names *names, size_t line)
{
    return line == 0 ? names->about : NULL;
}
