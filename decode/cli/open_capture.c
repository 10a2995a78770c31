#include "decode/cli/open_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/report/cause_text.h"

#define ERRORS_SHOWN 5u

struct capture *open_capture(const char *directory)
{
    struct error error = {0};
    struct capture *capture = capture_open(directory, &error);
    if (!capture)
        error_say(&error);
    else if (capture->damaged)
        message_say("%s/events.bin: offset %" PRIu64 ": no record begins here; the rest is left out", directory,
                    capture->events_size - capture->events_left_over);
    return capture;
}

/* A flow_progress. */
static void show_decoding(void *context, double done)
{
    (void)context;
    if (done < 1)
        fprintf(stderr, "\r\033[Kdecoding %.0f %%", 100 * done);
    else
        fputs("\r\033[K", stderr);
}

bool run_flow(struct flow_run *run, const struct capture *capture, struct flow_run_options *options)
{
    struct error error = {0};
    options->progress = isatty(STDERR_FILENO) ? show_decoding : NULL;
    if (flow_run(run, capture, options, &error))
        return true;
    error_say(&error);
    return false;
}

void say_flow_errors(const struct flow_run *run, const struct capture *capture, uint16_t cpu)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < run->lost.count && shown < ERRORS_SHOWN; i++, shown++)
        message_say("%s/cpu%u.pt: offset %" PRIu64 ": %" PRIu64 " bytes: %s", capture->directory, cpu,
                    run->lost.spans[i].begin, run->lost.spans[i].end - run->lost.spans[i].begin,
                    flow_error_text(FLOW_ERROR_NO_PSB));
    for (size_t i = 0; i < run->nr_results && shown < ERRORS_SHOWN; i++) {
        const struct flow_result *result = &run->results[i];
        if (!result->error)
            continue;
        shown++;
        message_say("%s/cpu%u.pt: offset %" PRIu64 ", at %#" PRIx64 ": %s", capture->directory, cpu,
                    result->error_offset, result->error_ip, flow_error_text(result->error));
    }
    if (run->decode_gaps.count > shown)
        message_say("%s/cpu%u.pt: and %" PRIu64 " more errors", capture->directory, cpu,
                    run->decode_gaps.count - shown);
}
