/* Making the index of a capture: all of it is decoded once. */
#ifndef DECODE_QUERY_INDEX_BUILD_H
#define DECODE_QUERY_INDEX_BUILD_H

#include <stdbool.h>

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"
#include "decode/query/index_file.h"

struct index_build_options {
    unsigned threads;        /* 0: as many as there are processors */
    flow_progress *progress; /* NULL: none */
    void *progress_context;
};

/* What is known of damage goes into the index: capture_check_trace of all CPUs comes before. false: error says why. */
bool index_build(struct query_index *index, const struct capture *capture, const struct index_build_options *options,
                 struct error *error);

#endif
