/* The formats: each writes one, from what its pass has filled. Errors of the file stay in the file. */
#ifndef DECODE_EXPORT_FORMATS_H
#define DECODE_EXPORT_FORMATS_H

#include <stdio.h>

#include "decode/calls/calls_run.h"
#include "decode/export/edges.h"

/* Of the call tree: what a function's own part is counted in. */
enum export_unit { EXPORT_BRANCHES, EXPORT_TICKS };

/* Brendan Gregg's folded stacks: "process;outermost;...;innermost count" a line. */
bool folded_write(FILE *file, const struct profile *profile, enum export_unit unit);

/* Valgrind's callgrind format; costs are branches and ticks. false: no memory. */
bool callgrind_write(FILE *file, const struct profile *profile);

/* lcov's tracefile: functions that ran, and those of the same objects of which is known that they did not. A function's
 * line is that of it in the object's listing, which is written into the directory sources, unless that is NULL. false:
 * error says why. */
bool lcov_write(FILE *file, const struct profile *profile, const struct names *names, const char *sources,
                struct error *error);

/* Google's Trace Event Format (chrome://tracing, Perfetto), a track for each task. */
void chrome_write(FILE *file, const struct slices *slices, const struct calls_run *run);

/* Perfetto's protobuf trace, the same tracks. */
bool perfetto_write(FILE *file, const struct slices *slices, const struct calls_run *run);

/* speedscope's own JSON: an evented profile for each CPU. false: no memory. */
bool speedscope_write(FILE *file, const struct slices *slices, const struct calls_run *run);

/* BOLT's pre-aggregated profile of one object, at its file's own addresses. Returns how many lines there are. */
uint64_t bolt_write(FILE *file, const struct edges *edges, const char *object);

/* DynamoRIO's drcov log, version 2. Modules are files, at their own addresses; what is of none is dealt into modules
 * of 4 GiB of addresses. false: no memory. */
bool drcov_write(FILE *file, const struct edges *edges, uint64_t *blocks);

#endif
