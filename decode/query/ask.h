/* A capture that is asked: its index, its code, and names. */
#ifndef DECODE_QUERY_ASK_H
#define DECODE_QUERY_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/flow/flow_trace.h"
#include "decode/names/names.h"
#include "decode/query/index_build.h"
#include "decode/query/index_file.h"

struct ask {
    struct capture *capture;
    struct query_index index;
    struct flow_trace *traces; /* of CPUs 0 to capture->nr_cpus - 1, without their stretches; timed and placed */
    struct names *names;
    uint64_t tsc_khz;             /* 0: not known */
    bool index_built, index_kept; /* it was made now; it is in the capture's directory */
    int index_errno;              /* why it is not */
};

/* Open what is asked about a capture, which goes over to it; names are still to be set, and go over as well. no_index:
 * its file is neither read nor written. false: error says why; ask_close is needed in both cases. */
bool ask_open(struct ask *ask, struct capture *capture, bool no_index, const struct index_build_options *options,
              struct error *error);
void ask_close(struct ask *ask);

/* Seconds from the first TSC of the capture on. Less than 0: not known. */
double ask_seconds(const struct ask *ask, uint64_t tsc);

/* What stands at an address that was executed in a stretch. Never NULL. */
const struct name *ask_name(const struct ask *ask, uint32_t stretch, uint64_t cr3, uint64_t address);

#endif
