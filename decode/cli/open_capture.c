#include "decode/cli/open_capture.h"

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
#define DAMAGES_SHOWN 8u

/* The messages follow the file and the offset. "#": the number of bytes. */
static const char *const damage_texts[DAMAGE_NR_KINDS] = {
    [DAMAGE_BYTES] = "from here on, # not as received (checksum mismatch)",
    [DAMAGE_CUT] = "the file ends here: # missing",
    [DAMAGE_CHECKSUM] = "# of damaged entries",
    [DAMAGE_NO_SUM] = "from here on, # cannot be checked: the checksum is damaged or missing",
    [DAMAGE_RECORD] = "no record begins here: # skipped",
    [DAMAGE_INDEX] = "from here on, # in conflict with events.bin, which takes precedence",
};

static void say_damage(const struct capture *capture, const struct damage *damage)
{
    const char *text = damage_texts[damage->kind], *mark = strchr(text, '#');
    char size[COUNTED_TEXT_SIZE];
    message_say("%s/%s: offset %" PRIu64 ": %.*s%s%s", capture->directory, damage->file, damage->offset,
                (int)(mark - text), text, counted_text(size, damage->size, "byte", "bytes"), mark + 1);
}

struct capture *open_capture(const char *directory)
{
    struct error error = {0};
    struct capture *capture = capture_open(directory, &error);
    if (!capture)
        error_say(&error);
    return capture;
}

bool say_damages(const struct capture *capture)
{
    const struct damages *damages = &capture->damages, *unsummed = &capture->unsummed;
    char number[COUNTED_TEXT_SIZE];
    size_t shown = damages->count < DAMAGES_SHOWN ? damages->count : DAMAGES_SHOWN;
    for (size_t i = 0; i < shown; i++)
        say_damage(capture, &damages->items[i]);
    if (damages->count > shown)
        message_say("%s: and %s", capture->directory,
                    counted_text(number, damages->count - shown, "more damaged place", "more damaged places"));
    for (size_t i = 0; i < unsummed->count && i < DAMAGES_SHOWN; i++)
        message_say("%s/%s: offset %" PRIu64 ": the last %" PRIu64
                    " bytes have no checksum: the receiver is still running, or was stopped",
                    capture->directory, unsummed->items[i].file, unsummed->items[i].offset, unsummed->items[i].size);
    if (!capture->checksums.present)
        message_say("%s: has no checksums: damage to its files is not detected", capture->directory);
    return damages->count > 0;
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
        error_say(&error);
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

void say_trace_errors(const struct flow_run *run, const char *name)
{
    char number[COUNTED_TEXT_SIZE];
    uint64_t shown = 0;
    for (size_t i = 0; i < run->lost.count && shown < ERRORS_SHOWN; i++, shown++)
        message_say("%s: offset %" PRIu64 ": %" PRIu64 " bytes: %s", name, run->lost.spans[i].begin,
                    run->lost.spans[i].end - run->lost.spans[i].begin, flow_error_text(FLOW_ERROR_NO_PSB));
    for (size_t i = 0; i < run->nr_results && shown < ERRORS_SHOWN; i++) {
        const struct flow_result *result = &run->results[i];
        char space[32];
        if (result->loops) {
            shown += result->loops;
            message_say("%s: offset %" PRIu64 ", at %#" PRIx64 ": %s (%" PRIu32 " time%s before the next PSB)", name,
                        result->loop_offset, result->loop_ip, flow_error_text(FLOW_ERROR_LOOP), result->loops,
                        result->loops == 1 ? "" : "s");
        }
        if (!result->error)
            continue;
        shown++;
        message_say("%s: offset %" PRIu64 ", at %#" PRIx64 "%s: %s", name, result->error_offset, result->error_ip,
                    space_text(space, sizeof(space), result), flow_error_text(result->error));
    }
    if (run->decode_gaps.count > shown)
        message_say("%s: and %s", name,
                    counted_text(number, run->decode_gaps.count - shown, "more error", "more errors"));
}

void say_flow_errors(const struct flow_run *run, const struct capture *capture, uint16_t cpu)
{
    char name[ERROR_TEXT_MAX];
    snprintf(name, sizeof(name), "%s/cpu%u.pt", capture->directory, cpu);
    say_trace_errors(run, name);
}
