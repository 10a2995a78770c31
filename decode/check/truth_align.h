/*
 * Converts offsets of a trace to those of the truth. The truth counts all bytes that the emulated hardware wrote. If it
 * overwrote bytes before they were read (gaps of cause OVERRUN and ERROR), the trace's offsets are lower than the
 * truth's by an unknown number. Pure.
 */
#ifndef DECODE_TRUTH_ALIGN_H
#define DECODE_TRUTH_ALIGN_H

#include "decode/check/truth_file.h"

struct truth_aligned {
    struct flow_result *results; /* with the truth's offsets; those that cannot be placed are left out */
    size_t *origins;             /* index of each in the results that were passed in */
    size_t nr_results;
    struct gaps gaps;         /* with the truth's offsets */
    size_t nr_unplaced;       /* stretches without a gap in them that the truth does not contain */
    size_t nr_unplaced_parts; /* stretches with a gap in them: only a list of all branches can place these */
};

/* Place each run of stretches between two such gaps at the next equal intervals of the truth. results and gaps are
 * those of flow_run. false: out of memory. */
bool truth_align(struct truth_aligned *aligned, const struct truth_cpu *truth, const struct flow_result *results,
                 size_t nr_results, const struct gaps *gaps, struct error *error);
void truth_aligned_free(struct truth_aligned *aligned);

#endif
