/*
 * A trace's offsets and the truth's: the truth counts all bytes that the emulated hardware wrote; where it wrote over
 * bytes before they were taken (gaps of cause OVERRUN and ERROR), the trace's offsets stay behind by a number that
 * nobody knows. Pure.
 */
#ifndef DECODE_TRUTH_ALIGN_H
#define DECODE_TRUTH_ALIGN_H

#include "decode/check/truth_file.h"

struct truth_aligned {
    struct flow_result *results; /* with the truth's offsets; those that cannot be placed are left out */
    size_t *origins;             /* of each, its index among the results that were given */
    size_t nr_results;
    struct gaps gaps;         /* with the truth's offsets */
    size_t nr_unplaced;       /* stretches without a gap in them that are nowhere in the truth */
    size_t nr_unplaced_parts; /* with a gap: where they begin in the truth, nothing tells but a list of all branches */
};

/* Place each run of stretches between two such gaps where the truth has the same intervals next. false: no memory;
 * error says so. Results and gaps as flow_run gives them. */
bool truth_align(struct truth_aligned *aligned, const struct truth_cpu *truth, const struct flow_result *results,
                 size_t nr_results, const struct gaps *gaps, struct error *error);
void truth_aligned_free(struct truth_aligned *aligned);

#endif
