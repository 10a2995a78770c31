/* undertrace export: a capture as files for other tools. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/export_options.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/export/formats.h"

#define MAX_FORMATS 32u
#define USAGE_SIZE 6000u

struct arguments {
    struct export_options common;
    struct argument_choice format, unit;
    uint64_t every;
    const char *object, *sources;
};

/* --- the help, of which the lists of formats come from their table -------------------------------------------------
 */

__attribute__((format(printf, 2, 3))) static void add(char usage[USAGE_SIZE], const char *format, ...)
{
    const size_t used = strlen(usage);
    va_list args;
    va_start(args, format);
    vsnprintf(usage + used, USAGE_SIZE - used, format, args);
    va_end(args);
}

/* The heading says what the pass over the trace collects for a format. */
static const char *heading_of(const struct export_format *format)
{
    return format->write_slices    ? "calls over time:"
           : format->write_profile ? "call tree with sums:"
           : format->write_edges   ? "branches:"
                                   : "samples:";
}

static void add_formats(char usage[USAGE_SIZE])
{
    const char *heading = "";
    for (size_t i = 0; export_formats[i]; i++) {
        const struct export_format *format = export_formats[i];
        if (strcmp(heading, heading_of(format)) != 0)
            add(usage, i ? "                      %s\n" : "  --format F          %s\n", heading_of(format));
        heading = heading_of(format);
        const char *line = format->readers, *end = strchr(line, '\n');
        add(usage, "                      %-11s %.*s\n", format->name, end ? (int)(end - line) : (int)strlen(line),
            line);
        if (end)
            add(usage, "                                  %s\n", end + 1);
    }
}

/* Describe an option that only some formats have. */
static void add_option(char usage[USAGE_SIZE], const char *option, unsigned bit, const char *meaning)
{
    const char *separator = "";
    add(usage, "  %-19s ", option);
    for (size_t i = 0; export_formats[i]; i++) {
        if (!(export_formats[i]->options & bit))
            continue;
        add(usage, "%s%s", separator, export_formats[i]->name);
        separator = ", ";
    }
    add(usage, ": %s\n", meaning);
}

static const char *make_usage(char usage[USAGE_SIZE])
{
    add(usage, "usage: undertrace export CAPTURE --format F -o FILE [options]\n"
               "\n"
               "Writes a capture for other tools; FILE - is standard output.\n"
               "\n");
    add_formats(usage);
    add(usage, "%s",
        "  -o FILE             the file to write, or with --format perf the new directory\n" WINDOW_USAGE
        "  --cpu N             only this CPU (default: all)\n" PROCESS_USAGE);
    add_option(usage, "--most N", EXPORT_OPTION_LENGTHS,
               "keep the N longest calls (default: 500000); shorter\n"
               "                      ones are merged into their callers, and counted");
    add_option(usage, "--shortest S", EXPORT_OPTION_LENGTHS, "merge calls shorter than S seconds");
    add_option(usage, "--unit U", EXPORT_OPTION_UNIT, "branches (default) or ticks");
    add_option(usage, "--every N", EXPORT_OPTION_EVERY,
               "a sample after each N branches (default: 10000) or ticks (1000000);\n"
               "                      1: at each change of functions");
    add_option(usage, "--object NAME", EXPORT_OPTION_OBJECT, "the program, library or module (default: vmlinux)");
    add_option(usage, "--sources DIR", EXPORT_OPTION_SOURCES,
               "write listings of all functions there, which genhtml shows as sources");
    add(usage, "%s",
        NAMES_USAGE "  --threads N         use N threads (default: one for each processor)\n"
                    "\n"
                    "Exit status: 0 everything was written; 1 an error; 2 parts are missing, damaged, or could not be\n"
                    "decoded.\n");
    return usage;
}

/* --- the command ----------------------------------------------------------------------------------------------------
 */

/* The directory for listings, which is made. false: a message says why it cannot be written to. */
static bool make_sources(const char *path)
{
    struct stat status;
    if (!path || mkdir(path, 0777) == 0)
        return true;
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        errno = ENOTDIR;
    else if (access(path, W_OK) == 0)
        return true;
    message_errno("--sources %s: cannot be written", path);
    return false;
}

static int write_format(const struct export_format *format, struct arguments *a)
{
    struct export_options *common = &a->common;
    struct calls_run run;
    struct export_job job = {.run = &run,
                             .output = common->output,
                             .most = (size_t)common->most,
                             .unit = (enum export_unit)a->unit.chosen,
                             .every = a->every,
                             .object = a->object,
                             .sources = a->sources,
                             .note = message_print};
    struct error error = {0};
    int status = 1;
    FILE *file = NULL;
    const bool listings = format->options & EXPORT_OPTION_SOURCES;
    if (export_begin(&run, "export", common) && (!listings || make_sources(a->sources)) &&
        (format->write_directory || (file = output_begin_whole(common->output, common->capture)))) {
        job.shortest = export_shortest(&run, common);
        if (export_write(file, format, &job, &error))
            status = export_end(&run);
        else
            error_print(&error);
    }
    if (!output_finish(file, common->output, status != 1))
        status = 1;
    export_close(&run);
    return status;
}

/* false: a message says what is missing. */
static bool is_complete(const struct arguments *a, const char *const *names, size_t nr_formats)
{
    char list[256] = "";
    for (size_t i = 0; i < nr_formats; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "", names[i]);
    if (a->format.chosen == nr_formats)
        message_print("export: --format F is required; choose from %s", list);
    else if (!a->common.output)
        message_print("export: -o FILE is required; - is standard output");
    else if (export_formats[a->format.chosen]->write_directory && !strcmp(a->common.output, "-"))
        message_print("export: --format %s writes a directory: name a new one with -o", names[a->format.chosen]);
    else
        return true;
    return false;
}

int command_export(int argc, char **argv)
{
    static const char *const units[] = {[EXPORT_BRANCHES] = "branches", [EXPORT_TICKS] = "ticks", NULL};
    static char usage[USAGE_SIZE];
    const char *names[MAX_FORMATS + 1] = {NULL};
    size_t nr_formats = 0;
    while (nr_formats < MAX_FORMATS && export_formats[nr_formats]) {
        names[nr_formats] = export_formats[nr_formats]->name;
        nr_formats++;
    }
    static struct arguments a = {.common = {.cpu = ARGUMENT_NOT_GIVEN, .most = 500000}, .object = "vmlinux"};
    a.format = (struct argument_choice){.words = names, .chosen = nr_formats};
    a.unit = (struct argument_choice){.words = units, .chosen = EXPORT_BRANCHES};
    const struct argument options[] = {EXPORT_ARGUMENTS(&a.common),
                                       {"format", ARGUMENT_CHOICE, &a.format, 0},
                                       {"unit", ARGUMENT_CHOICE, &a.unit, 0},
                                       {"every", ARGUMENT_NUMBER, &a.every, UINT64_MAX - 1},
                                       {"object", ARGUMENT_TEXT, &a.object, 0},
                                       {"sources", ARGUMENT_TEXT, &a.sources, 0}};
    const struct syntax syntax = {"export", make_usage(usage), options, sizeof(options) / sizeof(options[0]), 1, 0};
    const int status = arguments_parse(&syntax, argc, argv, &a.common.capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    return is_complete(&a, names, nr_formats) ? write_format(export_formats[a.format.chosen], &a) : 1;
}
