/*
 * What a pass over a capture has found out about names, as bytes that a later process reads instead: names by their
 * numbers, so that both have equal ones, and which programs ran. It is valid only with the same files.
 */
#ifndef DECODE_NAMES_SAVE_H
#define DECODE_NAMES_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/pack.h"
#include "decode/names/names.h"

/* CRC-32C of everything that names were made of: symbols, their addresses, and which pages are in which file. */
uint32_t names_identity(const struct names *names);

/* The pages of a run's CPUs, which programs are saved with: index is the number in the bytes. */
struct names_pages {
    const struct code_pages *const *of;
    unsigned count;
};

/* The progress of saving. */
struct names_save {
    struct names_symbol *symbols; /* of all objects, by pointer; NULL: not collected yet */
    size_t nr_symbols;
    size_t saved; /* names with lower numbers are saved */
};

/* Add the names since the last call, and all programs. */
void names_save(struct names_save *save, const struct names *names, const struct names_pages *pages, struct pack *pack);
void names_save_free(struct names_save *save);

/* Read what one call of names_save has written; programs: take them, too. The names before must have been read. false:
 * the bytes are not valid, or memory ran out. */
bool names_load(struct names *names, const struct names_pages *pages, bool programs, struct packed *packed);

/* A thread by its number: 0 is NULL. */
uint64_t names_thread_number(const struct names *names, const struct name_thread *thread);
const struct name_thread *names_thread_load(const struct names *names, struct packed *packed);

/* A name by its number. NULL: bad. */
const struct name *names_number_load(const struct names *names, struct packed *packed);

#endif
