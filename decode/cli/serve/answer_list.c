#include "decode/cli/serve/answer_list.h"

#include <string.h>

#include "decode/cli/options/time_word.h"
#include "decode/cli/serve/answers_state.h"
#include "decode/cli/text/disassembly.h"
#include "decode/cli/trace/trace_cpu.h"
#include "decode/cli/trace/trace_machine.h"

enum { LIST_TIME, LIST_WHAT, LIST_CPU, LIST_LINES };
#define MOST_LINES 20000u

static bool take_what(enum trace_what *what, const char *word)
{
    static const char *const words[] = {
        [TRACE_FUNCTIONS] = "functions", [TRACE_BRANCHES] = "branches", [TRACE_INSTRUCTIONS] = "instructions"};
    for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++)
        if (!strcmp(words[i], word)) {
            *what = (enum trace_what)i;
            return true;
        }
    return false;
}

/* false: a line in the file says what is wrong. */
static bool take_arguments(struct trace_options *options, struct trace_list *list, const struct serve_query *query)
{
    const struct indexed_capture *indexed = list->indexed;
    const struct time_word_clock clock = {indexed->index.header->first_tsc, indexed->tsc_khz, false};
    const char *time = query->values[LIST_TIME];
    list->to_tsc = UINT64_MAX;
    if (!time || !time_word_window(&list->from_tsc, &list->to_tsc, &clock, time))
        fputs("list: time=FROM-TO is missing or wrong\n", list->file);
    else if (!take_what(&options->what, query->values[LIST_WHAT]))
        fputs("list: what= is not functions, branches or instructions\n", list->file);
    else if (!answers_number(&options->lines, query->values[LIST_LINES], MOST_LINES))
        fprintf(list->file, "list: lines= is not a number up to %u\n", MOST_LINES);
    else if (!answers_number(&options->cpu, query->values[LIST_CPU], CAPTURE_MAX_CPUS - 1) ||
             (options->cpu != ARGUMENT_NOT_GIVEN &&
              (options->cpu >= indexed->capture->nr_cpus || !indexed->capture->cpus[options->cpu].present)))
        fputs("list: cpu= is not a CPU of the trace\n", list->file);
    else
        return true;
    return false;
}

static enum serve_status write_list(struct trace_list *list, const struct trace_options *options)
{
    struct error error = {0};
    const bool one = options->cpu != ARGUMENT_NOT_GIVEN || list->indexed->capture->nr_cpus == 1;
    list->cpu = options->cpu != ARGUMENT_NOT_GIVEN ? (uint16_t)options->cpu : 0;
    bool good = !options->process ||
                wanted_spaces_find(&list->spaces, list->indexed, options->cr3, options->process, true) ||
                error_set(&error, ERROR_MEMORY, 0, "the list");
    good = good && (one ? trace_cpu(list, &error) : trace_machine(list, &error));
    wanted_spaces_free(&list->spaces);
    return good ? SERVE_GOOD : answers_error(list->file, &error);
}

enum serve_status answer_list(void *context, const struct serve_query *query, FILE *file)
{
    struct answers *answers = context;
    struct trace_options options = {.cpu = ARGUMENT_NOT_GIVEN,
                                    .depth = ARGUMENT_NOT_GIVEN,
                                    .lines = MOST_LINES,
                                    .process = answers->options->process,
                                    .cr3 = answers->run.cr3};
    struct trace_list list = {.options = &options, .indexed = answers_index(answers, file), .file = file};
    if (!list.indexed)
        return SERVE_FAILED;
    if (!take_arguments(&options, &list, query))
        return SERVE_BAD_REQUEST;
    options.disassemble = options.what == TRACE_INSTRUCTIONS && disassembly_is_there();
    return write_list(&list, &options);
}
