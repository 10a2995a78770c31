#include "decode/cli/serve/answers.h"

#include <stdlib.h>
#include <string.h>

#include "decode/cli/message.h"
#include "decode/cli/options/time_word.h"
#include "decode/cli/serve/answer_call.h"
#include "decode/cli/serve/answer_list.h"
#include "decode/cli/text/error_text.h"
#include "decode/page/page.h"

static bool make_page(struct answers *answers)
{
    const struct page_limits limits = {(size_t)answers->options->most, (size_t)answers->ways, 1, true};
    struct error error = {0};
    struct page_sums sums;
    FILE *file = open_memstream(&answers->page, &answers->page_size);
    if (!file) {
        message_print("serve: out of memory for the page");
        return false;
    }
    const bool good = page_write(file, &answers->run, &limits, &sums, &error);
    const bool written = fclose(file) == 0;
    if (!good)
        error_print(&error);
    else if (!written)
        message_print("serve: out of memory for the page");
    return good && written;
}

bool answers_open(struct answers *answers, int *status)
{
    *status = 1;
    if (!export_begin(&answers->run, "serve", answers->options) || !make_page(answers))
        return false;
    *status = export_end(&answers->run);
    answers->run.progress = NULL; /* no bar on the terminal for each request */
    return *status != 1;
}

void answers_close(struct answers *answers)
{
    export_close(&answers->run);
    free(answers->page);
    free(answers->functions);
    indexed_capture_close(&answers->indexed);
}

static enum serve_status answer_page(void *context, const struct serve_query *query, FILE *file)
{
    const struct answers *answers = context;
    (void)query;
    fwrite(answers->page, 1, answers->page_size, file);
    return SERVE_GOOD;
}

enum { WINDOW_TIME, WINDOW_MOST };

/* Like undertrace page --time. Each pass opens its own names, which refer to its code pages. */
static enum serve_status answer_window(void *context, const struct serve_query *query, FILE *file)
{
    struct answers *answers = context;
    struct calls_run run = answers->run;
    const struct time_word_clock words = {run.clock.zero, run.clock.khz ? run.clock.khz : 1000000,
                                          run.clock.by_branches};
    struct page_limits limits = {(size_t)answers->options->most, (size_t)answers->ways, 1, true};
    const char *time = query->values[WINDOW_TIME], *most = query->values[WINDOW_MOST];
    struct error error = {0};
    struct page_sums sums;
    if (!time || !time_word_window(&run.window.from, &run.window.to, &words, time) ||
        run.window.from >= run.window.to) {
        fputs("window: time=FROM-TO is missing or empty\n", file);
        return SERVE_BAD_REQUEST;
    }
    const uint64_t calls = most ? strtoull(most, NULL, 10) : 0;
    if (calls > 0 && calls < limits.most_calls)
        limits.most_calls = (size_t)calls;
    run.branches = run.decode_gaps = 0;
    run.names = open_names(run.capture, &answers->options->names);
    if (!run.names) {
        fputs("window: the names cannot be read\n", file);
        return SERVE_FAILED;
    }
    const bool good = page_write_window(file, &run, &limits, &sums, &error);
    names_close(run.names);
    if (good)
        return SERVE_GOOD;
    rewind(file); /* drop what is written already */
    return answers_error(file, &error);
}

const struct serve_route answers_routes[] = {
    {"", "text/html; charset=utf-8", {NULL}, answer_page},
    {"window", "application/json", {[WINDOW_TIME] = "time", [WINDOW_MOST] = "most"}, answer_window},
    {"list", "text/plain; charset=utf-8", ANSWER_LIST_ARGUMENTS, answer_list},
    {"call", "application/json", ANSWER_CALL_ARGUMENTS, answer_call},
};
const size_t answers_nr_routes = sizeof(answers_routes) / sizeof(answers_routes[0]);
