#include "decode/cli/text/report_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/calls/calls_run.h"
#include "decode/capture/monotonic.h"
#include "decode/cli/message.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/run_flow.h"
#include "decode/report/profile_report.h"

/* The time between two timing packets is spread as in the page and the exports, so that all agree. */
static bool run(struct report_profile *made, struct capture *capture, unsigned threads,
                const struct report_decoded *decoded)
{
    struct calls_run run = {.capture = capture,
                            .names = made->names,
                            .window = TIMES_ALL,
                            .cpu = CALLS_ALL_CPUS,
                            .cr3 = FLOW_CR3_UNKNOWN,
                            .threads = threads,
                            .progress = progress_of_decoding(),
                            .decoded = decoded->take,
                            .decoded_context = decoded->context,
                            .needs = decoded->needs};
    const double start = monotonic_seconds();
    struct error error = {0};
    if (!calls_clock_read(&run.clock, capture, &error) || !profile_collect(&run, &made->profile, &error)) {
        error_print(&error);
        return false;
    }
    made->khz = run.clock.by_branches ? 0 : run.clock.khz;
    made->precision = precision_of(capture);
    made->seconds = monotonic_seconds() - start;
    return true;
}

struct report_profile *report_profile_make(struct capture *capture, struct names_choice *choice, unsigned threads,
                                           const struct report_decoded *decoded)
{
    struct report_profile *made = calloc(1, sizeof(*made));
    if (!made) {
        message_print("%s: out of memory for its call tree", capture->directory);
        return NULL;
    }
    made->names = open_names(capture, choice);
    if (!made->names || !profile_init(&made->profile, made->names) || !run(made, capture, threads, decoded)) {
        report_profile_free(made);
        return NULL;
    }
    return made;
}

/* Print words in lines of at most COLUMNS. */
#define COLUMNS 98u
static void print_words(const char *text)
{
    size_t column = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > COLUMNS) {
            fputs("\n   ", stdout);
            column = 3;
        }
        column += (size_t)printf("%s%.*s", column ? " " : "  ", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    putchar('\n');
}

/* Finer times cost bytes of trace: docs/options.md. */
static void print_precision(const struct report_profile *made)
{
    char text[PRECISION_TEXT_SIZE];
    if (made->khz && precision_text(text, &made->precision, made->khz)[0])
        printf("\nTimes\n  %s; pt.mtc= and pt.cyc= make them finer\n", text);
}

void report_profile_show(const struct report_profile *made)
{
    const char *line;
    puts("\nNames");
    for (size_t i = 0; (line = names_about(made->names, i)); i++)
        print_words(line);
    print_precision(made);
    profile_print(stdout, &(struct profile_view){.profile = &made->profile,
                                                 .khz = made->khz,
                                                 .origin = made->profile.first_tsc,
                                                 .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")});
}

void report_profile_free(struct report_profile *made)
{
    if (!made)
        return;
    profile_free(&made->profile);
    if (made->names)
        names_close(made->names);
    free(made);
}
