#include "decode/cli/text/run_flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/message.h"
#include "decode/cli/text/error_text.h"
#include "decode/report/cause_text.h"
#include "decode/report/number_text.h"

#define ERRORS_SHOWN 5u

/* A flow_progress. */
static void show_decoding(void *context, double done)
{
    (void)context;
    if (done < 1)
        fprintf(stderr, "\r\033[Kdecoding %.0f %%", 100 * done);
    else
        fputs("\r\033[K", stderr);
}

flow_progress *progress_of_decoding(void)
{
    return isatty(STDERR_FILENO) ? show_decoding : NULL;
}

bool run_flow(struct flow_run *run, const struct capture *capture, struct flow_run_options *options)
{
    return run_flow_each(run, capture, options, NULL, NULL);
}

bool run_flow_each(struct flow_run *run, const struct capture *capture, struct flow_run_options *options,
                   void (*take)(void *context, const struct flow_batch *batch), void *context)
{
    const double start = monotonic_seconds();
    const struct flow_batch *batch;
    struct flow_trace trace;
    struct flow_pull pull;
    struct error error = {0};
    options->progress = progress_of_decoding();
    *run = (struct flow_run){0};
    bool good = flow_trace_open_uncut(&trace, capture, options->cpu, &error) &&
                flow_pull_open(&pull, run, &trace, options, &error);
    if (good) {
        while ((batch = flow_pull_next(&pull)))
            if (take)
                take(context, batch);
        good = flow_pull_close(&pull, &error);
    }
    flow_trace_close(&trace);
    run->seconds = monotonic_seconds() - start;
    if (!good)
        error_print(&error);
    return good;
}

/* With several address spaces, an address is ambiguous without its CR3. */
static const char *space_text(char *text, size_t size, const struct flow_result *result)
{
    text[0] = '\0';
    if (result->error == FLOW_ERROR_NO_CODE && result->error_space > CODE_SPACE_ROOT)
        snprintf(text, size, " of CR3 %#" PRIx64, result->error_space);
    return text;
}

void trace_errors_print(const struct flow_run *run, const char *name)
{
    char number[COUNTED_TEXT_SIZE];
    uint64_t shown = 0;
    for (size_t i = 0; i < run->lost.count && shown < ERRORS_SHOWN; i++, shown++)
        message_print("%s: offset %" PRIu64 ": %" PRIu64 " byte%s: %s", name, run->lost.spans[i].begin,
                      run->lost.spans[i].end - run->lost.spans[i].begin,
                      plural(run->lost.spans[i].end - run->lost.spans[i].begin), flow_error_text(FLOW_ERROR_NO_PSB));
    for (size_t i = 0; i < run->nr_results && shown < ERRORS_SHOWN; i++) {
        const struct flow_result *result = &run->results[i];
        char space[32];
        if (result->loops) {
            shown += result->loops;
            message_print("%s: offset %" PRIu64 ", at %#" PRIx64 ": %s (%" PRIu32 " time%s before the next PSB)", name,
                          result->loop_offset, result->loop_ip, flow_error_text(FLOW_ERROR_LOOP), result->loops,
                          result->loops == 1 ? "" : "s");
        }
        if (!result->error)
            continue;
        shown++;
        message_print("%s: offset %" PRIu64 ", at %#" PRIx64 "%s: %s", name, result->error_offset, result->error_ip,
                      space_text(space, sizeof(space), result), flow_error_text(result->error));
    }
    if (run->decode_gaps.count > shown)
        message_print("%s: and %s", name,
                      counted_text(number, run->decode_gaps.count - shown, "more error", "more errors"));
}

void flow_errors_print(const struct flow_run *run, const struct capture *capture, uint16_t cpu)
{
    char name[ERROR_TEXT_MAX];
    snprintf(name, sizeof(name), "%s/cpu%u.pt", capture->directory, cpu);
    trace_errors_print(run, name);
}
