/* The result of a comparison with the truth, of one CPU or of all, as text and as JSON. */
#ifndef DECODE_VERIFIED_H
#define DECODE_VERIFIED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/check/truth_file.h"
#include "decode/report/json.h"

struct verified {
    struct truth_comparison comparison;
    struct figure taken; /* retired instructions */
    uint64_t branches, instructions, errors, overflows;
    uint64_t listed,
        listed_branches;     /* of traces with gaps: stretches that were compared with a list of all branches */
    uint64_t unplaced_parts; /* parts of intervals that only a list could place */
    double seconds;
    bool truth_ended, equal;
};

/* Print lines of text, or the fields of an object without braces. */
void verified_print(FILE *file, const struct verified *verified);
void verified_json(FILE *file, const struct verified *verified);

/* Add the result of a CPU; the first difference stays that of the first CPU. */
void verified_add(struct verified *sum, const struct verified *verified);

#endif
