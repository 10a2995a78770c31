/*
 * The first branch at which two boots differ, of one CPU. Branches are the same where they lead from and to the same
 * places: by address, of the kernel less its base, or else by function and offset in it.
 */
#ifndef DECODE_QUERY_DIVERGE_H
#define DECODE_QUERY_DIVERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/flow/flow_run.h"
#include "decode/query/compare.h"
#include "decode/query/indexed_capture.h"

#define DIVERGE_CONTEXT 8u

struct diverge_branch {
    struct flow_branch branch;
    uint64_t tsc, cr3, at;
    uint8_t kind; /* enum instruction_kind or FLOW_TAG_EVENT */
};

struct divergence {
    bool found;
    uint64_t branches;                             /* so many are the same, of those that were decoded */
    struct diverge_branch before[DIVERGE_CONTEXT]; /* a's last ones, the oldest first */
    size_t nr_before;
    struct diverge_branch next[2][DIVERGE_CONTEXT]; /* what each did then */
    size_t nr_next[2];                              /* 0: it ended there */
};

/* Decode the CPU's trace in both up to there. What lies in gaps is left out. progress: NULL, or as flow_run's. false:
 * it could not be done; error says why. */
bool diverge_find(struct divergence *divergence, const struct indexed_capture *const captures[2], uint16_t cpu,
                  const struct compare_slide *slide, flow_progress *progress, void *progress_context,
                  struct error *error);

#endif
