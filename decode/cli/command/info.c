/* undertrace info: machine, configuration and totals of a capture. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decode/capture/capture_check.h"
#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/options/open_capture.h"
#include "decode/cli/text/info_json.h"
#include "decode/cli/text/info_sums.h"
#include "decode/cli/text/remembered_text.h"
#include "decode/flow/precision.h"
#include "decode/names/tasks.h"
#include "decode/report/cause_text.h"
#include "decode/report/number_text.h"
#include "decode/report/setup_text.h"

static const char usage[] =
    "usage: undertrace info CAPTURE [--json]\n"
    "\n"
    "Prints the traced machine, its configuration, the sums over each stream, gaps, totals and log lines,\n"
    "and checks the files against their checksums.\n"
    "\n"
    "  --json              print JSON; docs/capture.md lists the fields\n"
    "\n"
    "Exit status: 0 done; 1 an error; 2 the capture is damaged.\n";

static void print_lines(const char *title, const char *missing, struct record_text text)
{
    struct text_line line;
    size_t position = 0;
    if (text.size == 0) {
        printf("%s: %s\n", title, missing);
        return;
    }
    printf("%s\n", title);
    while (text_next(&line, text, &position)) {
        fputs("  ", stdout);
        const size_t width = text_write_plain(stdout, line.name);
        printf("%*s ", width < 28 ? (int)(28 - width) : 0, "");
        text_write_plain(stdout, line.value);
        putchar('\n');
    }
}

/* One line for what was measured at the start, one for all that the guest has written. */
static void print_clock(const struct cpu_clock *clock)
{
    char ticks[COUNT_TEXT_SIZE], error[COUNT_TEXT_SIZE];
    size_t written = 0;
    for (size_t i = 0; i < clock->count; i++)
        written += clock->steps[i].written;
    if (clock->count && !clock->steps[0].written) {
        const int64_t ahead = (int64_t)clock->steps[0].ahead;
        printf(
            "  TSC at the start             %s ticks %s than CPU 0's (within %s); times of the trace are by CPU 0's\n",
            count_text(ticks, ahead < 0 ? -(uint64_t)ahead : (uint64_t)ahead), ahead < 0 ? "lower" : "higher",
            count_text(error, clock->steps[0].error));
    }
    if (written)
        printf("  TSC written by the guest     %s time%s; times of the trace are by CPU 0's as it was at the start\n",
               count_text(ticks, written), plural(written));
}

static void print_cpu(const struct capture *capture, unsigned cpu)
{
    struct info_sums sums;
    char bytes[COUNT_TEXT_SIZE], handed[COUNT_TEXT_SIZE];
    info_sum(&sums, capture, cpu);
    const struct capture_trace *trace = &capture->cpus[cpu];
    printf("CPU %u\n", cpu);
    if (trace->present)
        printf("  trace                        %s byte%s\n", count_text(bytes, trace->size), plural(trace->size));
    else
        printf("  trace                        none\n");
    printf("  handed over                  %s byte%s in %" PRIu64 " drain%s\n", count_text(handed, sums.handed_over),
           plural(sums.handed_over), sums.records[RECORD_DRAIN], plural(sums.records[RECORD_DRAIN]));
    printf("  code pages                   %" PRIu64 "\n", sums.records[RECORD_PAGE]);
    printf("  gaps                         %" PRIu64 "\n", sums.records[RECORD_GAP]);
    print_clock(&capture->clocks[cpu]);
}

static void print_tasks(const struct capture *capture)
{
    struct tasks tasks;
    char number[COUNTED_TEXT_SIZE];
    if (!tasks_collect(&tasks, capture))
        return;
    if (tasks.count)
        printf("processes                      %zu, in %s\n", tasks.nr_processes,
               counted_text(number, tasks.count, "task record", "task records"));
    else
        puts("processes                      not recorded: see undertrace kernel-options");
    tasks_free(&tasks);
}

static void print_gaps(const struct capture *capture)
{
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        if (record->header.kind != RECORD_GAP)
            continue;
        struct record_gap gap;
        memcpy(&gap, record->payload, sizeof(gap));
        printf("  gap: CPU %u, trace offset %" PRIu64 ", ", record->header.cpu, gap.at);
        if (gap.size)
            printf("%" PRIu64 " byte%s, ", gap.size, plural(gap.size));
        if (gap.tsc_to)
            printf("%" PRIu64 " TSC ticks, ", gap.tsc_to - gap.tsc_from);
        puts(gap_cause_text(gap.cause));
    }
}

static void print_log(const struct capture *capture)
{
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        if (record->header.kind != RECORD_LOG)
            continue;
        fputs("  ", stdout);
        text_write_plain(stdout, (struct record_text){(const char *)record->payload, record->header.length});
        putchar('\n');
    }
}

/* Finer times cost bytes of trace: docs/options.md. */
static void print_precision(const struct capture *capture)
{
    char text[PRECISION_TEXT_SIZE];
    uint64_t khz = 0;
    text_find_number(&khz, capture->hello, "tsc_khz");
    const struct precision precision = precision_of(capture);
    if (precision_text(text, &precision, khz)[0])
        printf("  %-28s %s\n", "times are known", text);
}

/* The sender counts for all CPUs: the last END record has the sums. */
static void print_compression(const struct capture *capture)
{
    struct record_text kind;
    char from[COUNTED_TEXT_SIZE], to[COUNT_TEXT_SIZE];
    uint64_t plain = 0, packed = 0;
    if (!text_find(&kind, capture->hello, "compression"))
        return;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        uint64_t bytes = 0;
        if (text_find_number(&bytes, capture->ends[cpu], "frames_plain_bytes") && bytes > plain) {
            plain = bytes;
            text_find_number(&packed, capture->ends[cpu], "frames_packed_bytes");
        }
    }
    printf("  %-28s by ", "frames were compressed");
    text_write_plain(stdout, kind);
    if (packed)
        printf(": %s of trace and records were %s on the wire, %.2f times fewer",
               counted_text(from, plain, "byte", "bytes"), count_text(to, packed), (double)plain / (double)packed);
    putchar('\n');
}

static void print_info(const struct capture *capture)
{
    print_lines("machine and configuration", "no hello record has arrived", capture->hello);
    puts("tracing");
    setup_print(stdout, capture->hello);
    print_precision(capture);
    print_compression(capture);
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        print_cpu(capture, cpu);
    print_tasks(capture);
    remembered_print(stdout, capture, "names                          ");
    print_gaps(capture);
    for (unsigned cpu = 0; cpu < capture->nr_cpus || cpu == 0; cpu++) {
        char title[32];
        snprintf(title, sizeof(title), capture->nr_cpus > 1 ? "end of CPU %u" : "end", cpu);
        print_lines(title, "no end record: the capture was cut off", capture->ends[cpu]);
    }
    if (capture->events_left_over)
        printf("events.bin ends inside a record: %" PRIu64 " byte%s left over\n", capture->events_left_over,
               plural(capture->events_left_over));
    puts(!capture->checksums.present   ? "checksums: none, the capture was made before there were any"
         : capture->damages.count == 0 ? "checksums: all files are as they were received"
                                       : "checksums: files are damaged");
    puts("log");
    print_log(capture);
}

int command_info(int argc, char **argv)
{
    bool json = false;
    const char *name;
    const struct argument options[] = {{"json", ARGUMENT_FLAG, &json, 0}};
    const struct syntax syntax = {"info", usage, options, 1, 1, 0};
    int status = arguments_parse(&syntax, argc, argv, &name);
    if (status != ARGUMENTS_GOOD)
        return status;
    struct capture *capture = open_capture(name);
    if (!capture)
        return 1;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        capture_check_trace(capture, cpu, 0, UINT64_MAX);
    bool damaged = damages_print(capture);
    if (json)
        info_json(stdout, capture);
    else
        print_info(capture);
    capture_close(capture);
    return damaged ? 2 : 0;
}
