/*
 * A capture as a directory that perf opens: "data" with samples, kcore_dir with the kernel's code and symbols, code
 * with what programs executed. perf needs nothing else of the guest.
 */
#ifndef DECODE_EXPORT_PERF_DIRECTORY_H
#define DECODE_EXPORT_PERF_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/calls/calls_run.h"
#include "decode/export/formats.h"

struct perf_wishes {
    enum export_unit unit;
    uint64_t every; /* branches or ticks: a sample at each so many */
};

/* What was written: samples, and branches or ticks of which nobody knows whose they are. */
struct perf_sums {
    uint64_t samples, lost;
};

/* Make the directory, which is not there yet, and fill it. false: error says why. */
bool perf_directory_write(const char *directory, struct calls_run *run, const struct perf_wishes *wishes,
                          struct perf_sums *sums, struct error *error);

#endif
