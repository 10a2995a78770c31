/* undertrace page: a capture as one HTML page. */
#include <inttypes.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/export_options.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/page/page.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace page CAPTURE -o FILE.html [options]\n"
    "\n"
    "Writes one self-contained HTML page for a browser: a time line of each CPU and process to zoom into,\n"
    "flame graph and call tree, functions, coverage of the kernel, gaps and VM exits.\n"
    "\n"
    "  -o FILE.html        the page; - is standard output\n" WINDOW_USAGE
    "  --cpu N             only this CPU (default: all)\n" PROCESS_USAGE
    "  --most N            keep the N longest calls on the time line (default: 600000); shorter ones are\n"
    "                      merged into their callers, and counted\n"
    "  --ways N            keep the N largest paths of the call tree (default: 250000); smaller ones are\n"
    "                      merged into their callers\n"
    "  --shortest S        merge calls shorter than S seconds\n" NAMES_USAGE
    "  --threads N         use N threads (default: one for each processor)\n"
    "\n"
    "Exit status: 0 everything was written; 1 an error; 2 parts are missing, damaged, or could not be\n"
    "decoded.\n";

static void say_sums(const struct page_sums *sums, const struct calls_run *run)
{
    char number[COUNTED_TEXT_SIZE];
    message_print("%s on the time line", counted_text(number, sums->calls, "call", "calls"));
    if (sums->merged_calls)
        message_print("%s shorter than %.3f us merged into their callers; select less time with --time, or keep "
                      "more calls with --most",
                      counted_text(number, sums->merged_calls, "call", "calls"),
                      (double)calls_nanoseconds(&run->clock, run->clock.zero + sums->least) / 1000);
    if (sums->merged_ways)
        message_print("%s of the call tree merged into their callers; keep more with --ways",
                      counted_text(number, sums->merged_ways, "small path", "small paths"));
}

static int write_page(struct export_options *options, uint64_t ways)
{
    struct calls_run run;
    struct error error = {0};
    struct page_sums sums;
    int status = 1;
    FILE *file = NULL;
    if (export_begin(&run, "page", options) && (file = output_begin_whole(options->output, options->capture))) {
        const struct page_limits limits = {(size_t)options->most, (size_t)ways, export_shortest(&run, options), false};
        if (page_write(file, &run, &limits, &sums, &error)) {
            say_sums(&sums, &run);
            status = export_end(&run);
        } else {
            error_print(&error);
        }
    }
    if (!output_finish(file, options->output, status != 1))
        status = 1;
    export_close(&run);
    return status;
}

int command_page(int argc, char **argv)
{
    static struct export_options o = {.cpu = ARGUMENT_NOT_GIVEN, .most = 600000};
    uint64_t ways = 250000;
    const struct argument options[] = {EXPORT_ARGUMENTS(&o), {"ways", ARGUMENT_NUMBER, &ways, 100000000}};
    const struct syntax syntax = {"page", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    const int status = arguments_parse(&syntax, argc, argv, &o.capture);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!o.output) {
        message_print("page: -o FILE.html is required; - is standard output");
        return 1;
    }
    return write_page(&o, ways);
}
