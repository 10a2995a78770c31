/*
 * Checkpoints of a pass: each pass over a capture keeps the stacks that it comes by, and the next one begins at the
 * last that is early enough. The result is the same either way.
 */
#ifndef DECODE_CALLS_CHECKPOINTS_H
#define DECODE_CALLS_CHECKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/calls/stacks_file.h"
#include "decode/calls/times.h"
#include "decode/names/names.h"
#include "decode/stack/stacks_run.h"
#include "decode/stack/stacks_save.h"

/* Trace of all CPUs between two checkpoints; where it is not a good place for one, some more. */
#define CHECKPOINTS_BYTES ((uint64_t)4 << 20)
/* The file has at most one byte for so many of the trace up to its last checkpoint, and one checkpoint more. */
#define CHECKPOINTS_SHARE 16u

struct checkpoints {
    struct stacks_file file;
    struct names *names;
    struct times *times;
    struct names_save save;
    struct stacks_codes *codes; /* of each CPU of the run */
    unsigned nr_cpus;
    uint64_t before; /* begin at a checkpoint before this TSC; 0: at the beginning of the trace */
    size_t begun;    /* the entry where the pass began; SIZE_MAX: the beginning */
    uint32_t cut;    /* number of the next cut */
    bool off;        /* nothing more is kept: memory ran out, the trace is damaged, or the pass does not agree with the
                     file */
    /* The pass begins at a checkpoint, and all is loaded. false: no memory. May be NULL. */
    bool (*begins)(void *context);
    void *context;
};

/* Read the file. times, names: of the pass. */
void checkpoints_open(struct checkpoints *checkpoints, const struct capture *capture, struct names *names,
                      struct times *times, uint64_t before);

/* For stacks_run. */
struct stacks_run_cuts checkpoints_cuts(struct checkpoints *checkpoints);

/* Write the file, if the pass was good and has more checkpoints than there were. */
void checkpoints_close(struct checkpoints *checkpoints, const struct capture *capture, bool good);

#endif
