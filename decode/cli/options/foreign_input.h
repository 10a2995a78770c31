/* The options of decode for traces that are not captures. */
#ifndef DECODE_CLI_OPTIONS_FOREIGN_INPUT_H
#define DECODE_CLI_OPTIONS_FOREIGN_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/arguments.h"
#include "decode/foreign/foreign_trace.h"

#define FOREIGN_RANGES 4u

struct foreign_options {
    const char *pt;              /* raw packets */
    const char *perf;            /* perf.data; neither pt nor perf: a capture is decoded */
    uint64_t pid, buffer;        /* of perf.data */
    const char *symfs;           /* directory of the mapped files; NULL: their original paths */
    const char *cpu;             /* F/M/S, or the number of a capture's CPU */
    struct argument_list images; /* --image and --elf */
    uint64_t kinds[FOREIGN_RANGES], ranges[2 * FOREIGN_RANGES];
};

/* For the table of options: an IP range. */
#define FOREIGN_RANGE_OPTIONS(o, n)                                                                                    \
    {"filter:addr" #n "_cfg", ARGUMENT_NUMBER, &(o)->kinds[n], 15},                                                    \
        {"filter:addr" #n "_a", ARGUMENT_NUMBER, &(o)->ranges[2 * (n)], UINT64_MAX},                                   \
    {                                                                                                                  \
        "filter:addr" #n "_b", ARGUMENT_NUMBER, &(o)->ranges[2 * (n) + 1], UINT64_MAX                                  \
    }

/* For the table of options: all of them. */
#define FOREIGN_OPTIONS(o)                                                                                             \
    {"pt", ARGUMENT_TEXT, &(o)->pt, 0}, {"perf", ARGUMENT_TEXT, &(o)->perf, 0},                                        \
        {"pid", ARGUMENT_NUMBER, &(o)->pid, UINT32_MAX}, {"buffer", ARGUMENT_NUMBER, &(o)->buffer, UINT32_MAX},        \
        {"symfs", ARGUMENT_TEXT, &(o)->symfs, 0}, {"image", ARGUMENT_LIST, &(o)->images, 0},                           \
        {"elf", ARGUMENT_LIST, &(o)->images, 0}, {"cpu", ARGUMENT_TEXT, &(o)->cpu, 0}, FOREIGN_RANGE_OPTIONS(o, 0),    \
        FOREIGN_RANGE_OPTIONS(o, 1), FOREIGN_RANGE_OPTIONS(o, 2), FOREIGN_RANGE_OPTIONS(o, 3)

/* Parse --cpu as a capture's CPU number, 0 if not given. false: a message says why. */
bool foreign_input_cpu_number(uint64_t *number, const struct foreign_options *options);

/* Parse --cpu as F/M/S, F/M or none. false: a message says why. */
bool foreign_input_model(struct flow_input *input, const char *text);

/* Do the options name a trace that is not a capture? */
static inline bool foreign_input_given(const struct foreign_options *options)
{
    return options->pt || options->perf;
}

/* Open the trace that the options name. false: a message says why. The caller calls foreign_close in both cases. */
bool foreign_input_open(struct foreign *foreign, const struct foreign_options *options);

#endif
