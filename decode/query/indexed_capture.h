/* A capture that is asked: its index, its code, and names. */
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
    struct flow_trace *traces; /* of CPUs 0 to capture->nr_cpus - 1, without their stretches; timed and placed */
    struct names *names;
    uint64_t tsc_khz;             /* 0: not known */
    bool index_built, index_kept; /* it was made now; it is in the capture's directory */
    int index_errno;              /* why it is not */
};

/* Open what is asked about a capture, which goes over to it; names are still to be set, and go over as well. no_index:
 * its file is neither read nor written. false: error says why; indexed_capture_close is needed in both cases. */
bool indexed_capture_open(struct indexed_capture *indexed, struct capture *capture, bool no_index,
                          const struct index_build_options *options, struct error *error);
void indexed_capture_close(struct indexed_capture *indexed);

/* Seconds from the first TSC of the capture on. Less than 0: not known. */
double indexed_capture_seconds(const struct indexed_capture *indexed, uint64_t tsc);

/* What stands at an address that was executed in a stretch. Never NULL. */
const struct name *indexed_capture_name(const struct indexed_capture *indexed, uint32_t stretch, uint64_t cr3,
                                        uint64_t address);

#endif
