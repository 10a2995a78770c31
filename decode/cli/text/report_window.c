#include "decode/cli/text/report_window.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/cli/message.h"
#include "decode/cli/options/export_options.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/measure_text.h"
#include "decode/report/json.h"
#include "decode/report/profile_report.h"

static void print(const struct calls_run *run, const struct profile_view *view)
{
    const struct measure measure = {.run = run};
    char from[SPAN_TEXT_SIZE], to[SPAN_TEXT_SIZE];
    printf("%s, from %s to %s\n", run->capture->directory, moment_text(from, &measure, view->profile->first_tsc),
           moment_text(to, &measure, view->profile->last_tsc));
    profile_print(stdout, view);
    measure_print_precision(&measure);
}

static bool write_json(const struct calls_run *run, const struct profile_view *view, const char *name)
{
    FILE *file = output_open(name, run->capture->directory);
    if (!file)
        return false;
    fputs("{\n  \"time\": {", file);
    json_figure(file, "from", figure_of(calls_nanoseconds(&run->clock, view->profile->first_tsc)), ", ");
    json_figure(file, "to", figure_of(calls_nanoseconds(&run->clock, view->profile->last_tsc)), "},\n  ");
    json_figure(file, "tsc_khz", (struct figure){run->clock.khz > 0, run->clock.khz}, ",\n  ");
    profile_json(file, view);
    fputs("\n}\n", file);
    return output_close(file, name);
}

static int show(struct calls_run *run, const struct profile *profile, const struct report_options *a)
{
    struct profile_view view = {.profile = profile,
                                .khz = run->clock.by_branches ? 0 : run->clock.khz,
                                .origin = run->clock.zero,
                                .window = true,
                                .colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")};
    if (!a->json || strcmp(a->json, "-") != 0)
        print(run, &view);
    if (a->json && !write_json(run, &view, a->json))
        return 1;
    return export_missing(run);
}

/* Can the options be combined? false: a message says what to change. */
static bool check(const struct report_options *a)
{
    if (a->truth) {
        message_print("report: --truth compares all of the trace, and cannot be combined with --time");
        return false;
    }
    return true;
}

int report_window(struct report_options *a)
{
    struct export_options options = {
        .capture = a->capture, .time = a->time, .names = a->names, .cpu = ARGUMENT_NOT_GIVEN, .threads = a->threads};
    struct calls_run run;
    struct profile profile = {0};
    struct error error = {0};
    int status = 1;
    if (!check(a))
        return 1;
    if (export_begin(&run, "report", &options)) {
        if (!names_are_there(run.capture, &a->names))
            message_print("report: --time requires names; give them with --kernel, --symbols or --files");
        else if (!profile_init(&profile, run.names))
            message_print("report: out of memory for the call tree");
        else if (!profile_collect(&run, &profile, &error))
            error_print(&error);
        else
            status = show(&run, &profile, a);
    }
    profile_free(&profile);
    export_close(&run);
    return status;
}
