/*
 * The first branch of one CPU at which two boots differ. Two branches are the same if their sources and their targets
 * are: by address (for the kernel, relative to its base), or by function and offset in the function.
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
    uint64_t branches;                             /* how many decoded branches before it are the same */
    struct diverge_branch before[DIVERGE_CONTEXT]; /* the last branches of a before it, the oldest first */
    size_t nr_before;
    struct diverge_branch next[2][DIVERGE_CONTEXT]; /* the branches of each from there on */
    size_t nr_next[2];                              /* 0: the trace ended there */
};

/* Decode the CPU's trace in both captures up to the first difference. Gaps are skipped. progress: NULL, or as in
 * flow_run. false: it failed; error says why. */
bool diverge_find(struct divergence *divergence, const struct indexed_capture *const captures[2], uint16_t cpu,
                  const struct compare_slide *slide, flow_progress *progress, void *progress_context,
                  struct error *error);

#endif
