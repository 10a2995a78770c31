#include "decode/cli/serve/answer_call.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/cli/options/time_word.h"
#include "decode/cli/serve/answers_state.h"
#include "decode/measure/nearest_call.h"
#include "decode/profile/label.h"
#include "decode/query/executing_spans.h"

enum { CALL_OF, CALL_AFTER, CALL_BEFORE, CALL_CPU, CALL_NTH };

/* Does the text contain the word, whatever the case of its letters? */
static bool contains(const char *text, const char *word, size_t size)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < size && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
            i++;
        if (i == size)
            return true;
    }
    return false;
}

/* struct nearest_call: as the page's search does (Trace.search of page/web/data.js). */
static bool has_words(void *context, const struct name *name)
{
    char label[LABEL_SIZE];
    const char *word = context;
    label_text(label, name);
    while (*(word += strspn(word, " "))) {
        const size_t size = strcspn(word, " ");
        if (!contains(label, word, size))
            return false;
        word += size;
    }
    return true;
}

/* The times in which these functions were executed. NULL: no memory. */
static struct time_span *find_spans(struct answers *answers, char *words, size_t *count)
{
    size_t nr_functions = 0, nr_ranges = 0;
    const struct executed_function *functions = answers_functions(answers, &nr_functions);
    struct listing_range *ranges = functions ? malloc((nr_functions + 1) * sizeof(*ranges)) : NULL;
    for (size_t i = 0; i < nr_functions && ranges; i++)
        if (has_words(words, functions[i].name))
            ranges[nr_ranges++] = (struct listing_range){functions[i].occurrence.begin, functions[i].occurrence.end};
    struct time_span *spans = ranges ? executing_spans(&answers->indexed, ranges, nr_ranges, count) : NULL;
    free(ranges);
    return spans;
}

/* In the window of the page. */
static bool search(struct nearest_call *call, struct calls_run *run, struct answers *answers, struct error *error)
{
    const struct times_window page = run->window;
    struct time_span all = {0, UINT64_MAX}, part;
    size_t count = 1;
    struct time_span *found = run->clock.by_branches ? NULL : find_spans(answers, call->context, &count);
    if (!found && !run->clock.by_branches)
        return error_set(error, ERROR_MEMORY, 0, "the calls");
    struct span_search spans = span_search_begin(found ? found : &all, count, call->before, call->than.tsc);
    bool good = true;
    while (good && !call->name && span_search_next(&spans, &part)) {
        const uint64_t from = call->before || part.begin > call->than.tsc ? part.begin : call->than.tsc;
        const uint64_t to = call->before && part.end > call->than.tsc ? call->than.tsc : part.end;
        good = nearest_call_search(call, run, from, to < page.to ? to : page.to - 1, error);
    }
    if (call->name && (call->place.tsc < page.from || call->place.tsc >= page.to))
        call->name = NULL;
    free(found);
    return good;
}

static void write_call(FILE *file, const struct nearest_call *call, uint64_t zero)
{
    char label[LABEL_SIZE];
    if (!call->name) {
        fputs("null\n", file);
        return;
    }
    label_text(label, call->name);
    fputs("{\"function\": ", file);
    text_write_json(file, (struct record_text){label, strlen(label)});
    fprintf(file, ", \"ticks\": %" PRIu64 ", \"cpu\": %" PRIu32 ", \"nth\": %" PRIu32 "}\n", call->place.tsc - zero,
            call->place.cpu, call->place.nth);
}

/* false: a line in the file says what is wrong. */
static bool take_arguments(struct nearest_call *call, const struct calls_run *run, const struct serve_query *query,
                           FILE *file)
{
    const struct time_word_clock clock = {run->clock.zero, run->clock.khz ? run->clock.khz : 1000000,
                                          run->clock.by_branches};
    const char *const *values = query->values, *time = values[CALL_AFTER] ? values[CALL_AFTER] : values[CALL_BEFORE];
    call->before = !values[CALL_AFTER];
    /* All calls at the moment are neither after it nor before it. */
    uint64_t cpu = call->before ? 0 : UINT32_MAX, nth = cpu;
    if (!values[CALL_OF] || !values[CALL_OF][strspn(values[CALL_OF], " ")])
        fputs("call: of= has no word\n", file);
    else if (!time || (values[CALL_AFTER] && values[CALL_BEFORE]) ||
             !time_word_parse(&call->than.tsc, &clock, time, strlen(time)))
        fputs("call: after= or before= is not a time\n", file);
    else if (!answers_number(&cpu, values[CALL_CPU], UINT32_MAX) || !answers_number(&nth, values[CALL_NTH], UINT32_MAX))
        fputs("call: cpu= or nth= is not a number\n", file);
    else {
        call->than.cpu = (uint32_t)cpu;
        call->than.nth = (uint32_t)nth;
        return true;
    }
    return false;
}

/* Each pass opens its own names, as for a window. */
enum serve_status answer_call(void *context, const struct serve_query *query, FILE *file)
{
    struct answers *answers = context;
    struct calls_run run = answers->run;
    struct nearest_call call = {.matches = has_words};
    struct error error = {0};
    if (!take_arguments(&call, &run, query, file))
        return SERVE_BAD_REQUEST;
    char words[SERVE_VALUE_MAX + 1];
    snprintf(words, sizeof(words), "%s", query->values[CALL_OF]);
    call.context = words;
    if (!answers_index(answers, file))
        return SERVE_FAILED;
    run.names = open_names(run.capture, &answers->options->names);
    if (!run.names) {
        fputs("call: the names cannot be read\n", file);
        return SERVE_FAILED;
    }
    const bool good = search(&call, &run, answers, &error);
    if (good)
        write_call(file, &call, run.clock.zero);
    names_close(run.names);
    return good ? SERVE_GOOD : answers_error(file, &error);
}
