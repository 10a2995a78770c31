/* What a comparison with the truth came to, of a CPU or of all, as text and as JSON. */
#ifndef DECODE_VERIFIED_H
#define DECODE_VERIFIED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/check/truth_file.h"
#include "decode/report/json.h"

struct verified {
    struct truth_comparison comparison;
    struct figure taken; /* instructions that retired */
    uint64_t branches, instructions, errors, overflows;
    uint64_t listed, listed_branches; /* stretches of traces with gaps, compared with a list of all branches */
    uint64_t unplaced_parts;          /* not compared, since there is no list */
    double seconds;
    bool truth_ended, equal;
};

/* Lines of text; the fields of an object, without its braces. */
void verified_print(FILE *file, const struct verified *verified);
void verified_json(FILE *file, const struct verified *verified);

/* Add a CPU's; the first difference stays the first CPU's. */
void verified_add(struct verified *sum, const struct verified *verified);

#endif
