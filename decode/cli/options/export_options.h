/* The options of undertrace export and page, and the preparation of their pass over the capture. */
#ifndef DECODE_CLI_OPTIONS_EXPORT_OPTIONS_H
#define DECODE_CLI_OPTIONS_EXPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/calls/calls_run.h"
#include "decode/cli/arguments.h"
#include "decode/cli/options/names_options.h"
#include "decode/cli/text/work_bar.h"

struct export_options {
    const char *capture, *output, *time, *process;
    struct names_choice names;
    uint64_t cpu, threads, most;
    double shortest; /* seconds */
    struct work_bar bar;
};

/* Lines of both commands' help. */
#define WINDOW_USAGE                                                                                                   \
    "  --time FROM-TO      only this time: seconds since the first TSC (1.5-1.6), or ticks (1000t-2000t);\n"           \
    "                      either side may be omitted\n"

/* The options that both commands have. */
#define EXPORT_ARGUMENTS(o)                                                                                            \
    {"o", ARGUMENT_TEXT, &(o)->output, 0}, {"time", ARGUMENT_TEXT, &(o)->time, 0}, ARGUMENT_CPU(&(o)->cpu),            \
        {"process", ARGUMENT_TEXT, &(o)->process, 0}, ARGUMENT_THREADS(&(o)->threads), NAMES_OPTIONS(&(o)->names),     \
        {"most", ARGUMENT_NUMBER, &(o)->most, 100000000},                                                              \
    {                                                                                                                  \
        "shortest", ARGUMENT_SECONDS, &(o)->shortest, 0                                                                \
    }

/* Open the capture and its names, read its clock, and parse the window. false: a message says why. */
bool export_begin(struct calls_run *run, const char *command, struct export_options *options);

/* After export_begin: set the window to end with a moment, in place of the one of --time. false: a message says why. */
bool export_until(struct calls_run *run, const char *command, const char *word);

/* Report what could not be decoded. Returns the exit status: 0; 2 if something is missing; 1 if the selected process
 * did not run. */
int export_end(struct calls_run *run);

/* The same without how names were found and how exact the times are. */
int export_missing(const struct calls_run *run);

/* Close what export_begin opened. */
void export_close(struct calls_run *run);

/* The minimum length of calls in ticks. */
uint64_t export_shortest(const struct calls_run *run, const struct export_options *options);

#endif
