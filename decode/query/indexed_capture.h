/* A capture with its index, its code and its names: what the commands that query a capture work on. */
#ifndef DECODE_QUERY_INDEXED_CAPTURE_H
#define DECODE_QUERY_INDEXED_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/flow/flow_trace.h"
#include "decode/names/names.h"
#include "decode/query/index_build.h"
#include "decode/query/index_file.h"

struct indexed_capture {
    struct capture *capture;
    struct query_index index;
    struct flow_trace *traces; /* of CPUs 0 to capture->nr_cpus - 1, not cut into stretches */
    struct names *names;
    uint64_t tsc_khz;             /* 0: not known */
    bool index_built, index_kept; /* built: just now, by this call; kept: it is in the capture's directory */
    int index_errno;              /* why it was not kept */
};

/* Open it, and take ownership of the capture. The caller sets names afterwards, and gives up their ownership as well.
 * no_index: the index file is neither read nor written. false: error says why. indexed_capture_close must be called in
 * both cases. */
bool indexed_capture_open(struct indexed_capture *indexed, struct capture *capture, bool no_index,
                          const struct index_build_options *options, struct error *error);
void indexed_capture_close(struct indexed_capture *indexed);

/* Seconds since the first TSC of the capture. Negative: not known. */
double indexed_capture_seconds(const struct indexed_capture *indexed, uint64_t tsc);

/* The name of an address that was executed in a stretch. Never NULL. */
const struct name *indexed_capture_name(const struct indexed_capture *indexed, uint32_t stretch, uint64_t cr3,
                                        uint64_t address);

#endif
