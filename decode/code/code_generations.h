/*
 * Generations of address spaces. A kernel reuses the top-level page table of a program that has ended, so one CR3 value
 * names several spaces, one after the other. RECORD_MAP_ENDED ends a generation. That record names no addresses: it
 * invalidates every earlier record of its space. It becomes one end record, without runs, for each stretch that was
 * recorded in the generation that it ends or in the next one. So a lookup finds the end among the other records of
 * the address. Pure.
 */
#ifndef DECODE_CODE_GENERATIONS_H
#define DECODE_CODE_GENERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_map.h"

/* A stretch that a PAGE or a MAP record covers: from that record on, an address in it was mapped. */
struct code_stretch {
    uint64_t space, linear, size;
    uint64_t number; /* of the record */
};

/* Make the end records. ends: nr ends of spaces. Each stretch gets the ends before and after each generation that
 * recorded it, without duplicates. Both lists are sorted by this call. The caller frees *made, which is NULL if there
 * are no end records. false: no memory. */
bool code_generations_end(struct code_map **made, size_t *nr_made, struct code_map *ends, size_t nr,
                          struct code_stretch *stretches, size_t nr_stretches);

#endif
