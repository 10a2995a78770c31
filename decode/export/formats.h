/*
 * The export formats. A format is one file that defines its struct export_format: name, tools that read it, options and
 * writer. formats.c lists them all; command line, help and messages come from that list (docs/extending.md).
 */
#ifndef DECODE_EXPORT_FORMATS_H
#define DECODE_EXPORT_FORMATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/calls/calls_run.h"
#include "decode/export/edges.h"

enum export_unit { EXPORT_BRANCHES, EXPORT_TICKS };

/* What to export, and the user's options. */
struct export_job {
    struct calls_run *run;
    const char *output;           /* path of the file or directory */
    size_t most;                  /* slices that are kept, the longest */
    uint64_t shortest;            /* ticks: shorter slices are merged */
    enum export_unit unit;        /* of weights in call trees and samples */
    uint64_t every;               /* units from one sample to the next; 0: the format's default */
    const char *object;           /* the one object whose branches are exported */
    const struct profile *totals; /* calls over time: the call tree of all calls; NULL: the format has none */
    const char *sources;          /* directory for listings; NULL: none are written */
    void (*note)(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a line for the user */
};

/* Options that only some formats use, for the help. */
enum export_option {
    EXPORT_OPTION_UNIT = 1,
    EXPORT_OPTION_EVERY = 2,
    EXPORT_OPTION_OBJECT = 4,
    EXPORT_OPTION_SOURCES = 8,
    EXPORT_OPTION_LENGTHS = 16 /* --most and --shortest */
};

/* A writer returns false when it fails: error says why. Errors of the stream remain in the stream (ferror). */
struct export_format {
    const char *name;
    const char *readers; /* the tools that read it, for the help: one line, or several */
    unsigned options;    /* enum export_option */
    bool has_totals;     /* slices: the writer also gets the call tree */
    bool track_per_cpu;  /* slices: one track for each CPU instead of one for each task */
    /* Exactly one is set. It determines what the pass over the trace collects. */
    bool (*write_slices)(FILE *file, const struct slices *slices, const struct export_job *job, struct error *error);
    bool (*write_profile)(FILE *file, const struct profile *profile, const struct export_job *job, struct error *error);
    bool (*write_edges)(FILE *file, const struct edges *edges, const struct export_job *job, struct error *error);
    bool (*write_directory)(const struct export_job *job, struct error *error); /* makes job->output, which is new */
};

extern const struct export_format format_chrome, format_perfetto, format_speedscope, format_folded, format_callgrind,
    format_lcov, format_drcov, format_bolt, format_perf;

/* All formats in the order of the help. NULL follows the last. */
extern const struct export_format *const export_formats[];

/* Decode the job's capture and write it. file is NULL for a format that is a directory. false: error says why. */
bool export_write(FILE *file, const struct export_format *format, const struct export_job *job, struct error *error);

#endif
