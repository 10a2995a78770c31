/*
 * Address spaces that have ended (RECORD_MAP_ENDED). One names no addresses: what it ends is all that was told of its
 * space before. It becomes one record, without runs, for each stretch that was told of in the life that it ends, and in
 * the next one: so whoever looks up an address meets the ends between two lives among what else is said of it. Pure.
 */
#ifndef DECODE_CODE_LIVES_H
#define DECODE_CODE_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_map.h"

/* What was told, by a PAGE or a MAP record: from then on an address of the stretch led somewhere. */
struct code_stretch {
    uint64_t space, linear, size;
    uint64_t number; /* of the record */
};

/* ends: of spaces, nr of them; with each stretch, once, those around a life in which it was told. Both lists are sorted
 * by this. *lives: to be freed, NULL where there are none. false: no memory. */
bool code_lives_end(struct code_map **lives, size_t *nr_lives, struct code_map *ends, size_t nr,
                    struct code_stretch *stretches, size_t nr_stretches);

#endif
