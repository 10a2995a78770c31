/* undertrace diff: what ran in only one of two captures, by function and by
 * task, and where they differ first. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/query_options.h"
#include "decode/cli/text/align_text.h"
#include "decode/cli/text/branch_text.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/name_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/work_bar.h"
#include "decode/query/diverge.h"
#include "decode/report/json.h"
#include "decode/report/number_text.h"

static const char usage[] = "usage: undertrace diff A B [options]\n"
                            "\n"
                            "Compares two captures. Prints the functions that ran in only one of them, "
                            "with how often and when\n"
                            "first; and of each task, whose calls are aligned: the first difference, "
                            "with the calls that are open\n"
                            "there, and the calls that only one of them made.\n"
                            "\n"
                            "Functions are equal if symbol and object are equal; without a symbol, if "
                            "they begin at the same\n"
                            "address, for the kernel relative to where it was loaded; in tasks, if the "
                            "last 12 bits of their\n"
                            "addresses are equal.\n"
                            "\n"
                            "  --functions         compare functions only\n"
                            "  --counts            also list the functions that ran more often in one\n"
                            "  --lines N           print at most N calls of each task (default: 20)\n"
                            "  --branches          instead of tasks, compare the branches of a CPU, "
                            "and print the first ones that\n"
                            "                      differ, with those before them\n"
                            "  --cpu N             with --branches: of this CPU (default: 0)\n"
                            "  --json              print one JSON object; docs/ask.md has the "
                            "fields\n" QUERY_USAGE "\n"
                            "Functions come in the order of how often they were entered, those of both "
                            "in the order of how much their\n"
                            "counts differ.\n"
                            "\n"
                            "Exit status, as of diff(1): 0 they are equal; 1 they differ; 2 trouble: "
                            "an error, or parts of a trace\n"
                            "are unknown, and what differs may be due to them. Interrupts and "
                            "exceptions make no difference as long as\n"
                            "both have some with the same handler; with --functions and --branches "
                            "they do.\n";

/* The exit statuses of diff(1). */
enum { DIFF_SAME, DIFF_DIFFERENT, DIFF_TROUBLE };

struct arguments {
    const char *captures[2];
    uint64_t cpu, lines;
    bool functions, counts, branches, json;
    struct query_options query;
};

static void print_function(const struct indexed_capture *indexed, const struct executed_function *function,
                           const char *sign)
{
    char name[NAME_TEXT_SIZE], time[TIME_TEXT_SIZE], count[COUNTED_TEXT_SIZE];
    name_text(name, function->name, function->name->begin);
    printf("%s %14s s  entered %18s  ", sign, time_text(time, indexed, function->occurrence.first.tsc),
           counted_text(count, function->occurrence.entered, "time", "times"));
    if (function->name->symbol)
        puts(name);
    else
        printf("%#" PRIx64 "%s%s\n", function->name->begin, name[0] ? " " : "", name);
}

static void print_only(const struct indexed_capture *indexed, const struct comparison *c, int side)
{
    char count[COUNT_TEXT_SIZE];
    const size_t only = side ? c->only_b : c->only_a;
    printf("functions only in %s: %s\n", indexed->capture->directory, count_text(count, only));
    for (size_t i = 0; i < c->nr_items; i++) {
        const struct compared_function *item = &c->items[i];
        if (side ? !item->a : !item->b)
            print_function(indexed, side ? item->b : item->a, side ? "+" : "-");
    }
}

static void print_counts(const struct comparison *c, bool list)
{
    char both[COUNT_TEXT_SIZE], other[COUNT_TEXT_SIZE];
    printf("functions in both: %s; of these with different counts: %s\n", count_text(both, c->both),
           count_text(other, c->other_counts));
    for (size_t i = 0; i < c->nr_items && list; i++) {
        const struct compared_function *item = &c->items[i];
        if (!item->a || !item->b || item->a->occurrence.entered == item->b->occurrence.entered)
            continue;
        char name[NAME_TEXT_SIZE];
        printf("* %12" PRIu64 " %12" PRIu64 " times  %s\n", item->a->occurrence.entered, item->b->occurrence.entered,
               name_text(name, item->a->name, item->a->name->begin));
    }
}

static void functions_json(const struct comparison *c, int side)
{
    printf("  \"only_%c\": [", side ? 'b' : 'a');
    size_t count = 0;
    for (size_t i = 0; i < c->nr_items; i++) {
        const struct executed_function *function = side ? c->items[i].b : c->items[i].a;
        if (side ? c->items[i].a != NULL : c->items[i].b != NULL)
            continue;
        printf("%s\n    {\"begin\": \"%" PRIx64 "\", ", count++ ? "," : "", function->name->begin);
        json_string(stdout, "symbol", function->name->symbol, ", ");
        json_string(stdout, "object", function->name->object, ", ");
        json_figure(stdout, "entered", figure_of(function->occurrence.entered), "}");
    }
    puts("],");
}

/* Also without tasks, a function of one of them only makes a difference; other
 * counts do in --functions. */
static bool print_functions(const struct indexed_capture *const captures[2], const struct compare_slide *slide,
                            const struct arguments *a, bool *same)
{
    struct comparison c;
    const bool good = compare_functions(&c, captures[0], captures[1], slide);
    const bool tasks = !a->functions && !a->branches;
    if (good) {
        comparison_sort(&c);
        if (a->json) {
            functions_json(&c, 0);
            functions_json(&c, 1);
        } else {
            print_only(captures[0], &c, 0);
            print_only(captures[1], &c, 1);
            print_counts(&c, a->counts);
        }
        *same = c.only_a == 0 && c.only_b == 0 && (tasks || c.other_counts == 0);
    } else {
        message_print("diff: out of memory for the functions");
    }
    comparison_free(&c);
    return good;
}

/* --- tasks --- */

/* One boot for the alignment: its calls, and the pass that yields them. */
struct boot {
    struct calls_run run;
    struct boot_calls calls;
    struct work_bar bar;
};

static bool collect_boot(struct boot *boot, struct call_trees *trees, const struct indexed_capture *indexed,
                         const struct arguments *a)
{
    struct error error = {0};
    boot->run = (struct calls_run){.capture = indexed->capture,
                                   .names = indexed->names,
                                   .window = TIMES_ALL,
                                   .cpu = CALLS_ALL_CPUS,
                                   .cr3 = FLOW_CR3_UNKNOWN,
                                   .threads = (unsigned)a->query.threads,
                                   .progress = work_bar_wanted() ? work_bar_show : NULL,
                                   .progress_context = &boot->bar};
    work_bar_start(&boot->bar, "decoding");
    if (calls_clock_read(&boot->run.clock, indexed->capture, &error) &&
        boot_calls_collect(&boot->calls, trees, &boot->run, &error))
        return true;
    error_print(&error);
    return false;
}

static bool show_tasks(const struct indexed_capture *const captures[2], struct boot boots[2], struct call_trees *trees,
                       const struct arguments *a, bool *same)
{
    struct alignment alignment = {0};
    trees->most = CALL_TREES_MOST / 2; /* and as many for the other one */
    bool good = collect_boot(&boots[0], trees, captures[0], a);
    trees->most = CALL_TREES_MOST;
    trees->full = false;
    good = good && collect_boot(&boots[1], trees, captures[1], a);
    if (good && !align_boots(&alignment, &boots[0].calls, &boots[1].calls)) {
        message_print("diff: out of memory for the alignment");
        good = false;
    }
    const struct align_view view = {.captures = {captures[0], captures[1]},
                                    .boots = {&boots[0].calls, &boots[1].calls},
                                    .alignment = &alignment,
                                    .clocks = {&boots[0].run.clock, &boots[1].run.clock},
                                    .lines = a->lines};
    if (good) {
        (a->json ? align_json : align_print)(&view);
        *same = *same && !align_differs(&view);
    }
    alignment_free(&alignment);
    return good;
}

static bool print_tasks(const struct indexed_capture *const captures[2], const struct arguments *a, bool *same)
{
    static struct boot boots[2];
    struct call_trees trees;
    bool good = call_trees_init(&trees);
    if (good)
        good = show_tasks(captures, boots, &trees, a, same);
    else
        message_print("diff: out of memory for call trees");
    boot_calls_free(&boots[0].calls);
    boot_calls_free(&boots[1].calls);
    call_trees_free(&trees);
    return good;
}

/* --- branches --- */

static void print_branches(const struct indexed_capture *indexed, uint16_t cpu, const struct diverge_branch *items,
                           size_t count, const char *sign)
{
    for (size_t i = 0; i < count; i++) {
        const struct diverge_branch *item = &items[i];
        const struct code_pages *pages = &indexed->traces[cpu].pages;
        char time[TIME_TEXT_SIZE], from[ADDRESS_TEXT_SIZE], to[ADDRESS_TEXT_SIZE];
        printf(
            "%s %14s  %-7s %s -> %s\n", sign, time_text(time, indexed, item->tsc), branch_kind_text(item->kind),
            address_text(from, names_find(indexed->names, pages, item->cr3, item->at, item->branch.from),
                         item->branch.from),
            address_text(to, names_find(indexed->names, pages, item->cr3, item->at, item->branch.to), item->branch.to));
    }
    if (count == 0)
        printf("%s ends here\n", sign);
}

static bool print_divergence(const struct indexed_capture *const captures[2], const struct compare_slide *slide,
                             uint16_t cpu, bool *same)
{
    struct divergence divergence;
    struct error error = {0};
    struct work_bar bar;
    char count[COUNT_TEXT_SIZE];
    work_bar_start(&bar, "comparing");
    if (!diverge_find(&divergence, captures, cpu, slide, work_bar_wanted() ? work_bar_show : NULL, &bar, &error)) {
        error_print(&error);
        return false;
    }
    printf("CPU %u: the first %s branches are the same\n", cpu, count_text(count, divergence.branches));
    if (!divergence.found) {
        puts("both traces end there");
        return true;
    }
    *same = false;
    print_branches(captures[0], cpu, divergence.before, divergence.nr_before, " ");
    print_branches(captures[0], cpu, divergence.next[0], divergence.nr_next[0], "-");
    print_branches(captures[1], cpu, divergence.next[1], divergence.nr_next[1], "+");
    return true;
}

static int compare(const struct indexed_capture *const captures[2], const struct arguments *a)
{
    const struct compare_slide slide = compare_slides(captures[0], captures[1]);
    bool same = true;
    pager_start();
    if (a->json)
        puts("{");
    else if (slide.known && slide.difference)
        printf("the kernel of %s is %#" PRIx64 " %s that of %s\n", captures[1]->capture->directory,
               slide.difference >> 63 ? 0 - slide.difference : slide.difference,
               slide.difference >> 63 ? "below" : "above", captures[0]->capture->directory);
    if (!print_functions(captures, &slide, a, &same))
        return DIFF_TROUBLE;
    if (a->branches && !print_divergence(captures, &slide, (uint16_t)a->cpu, &same))
        return DIFF_TROUBLE;
    if (!a->branches && !a->functions && !print_tasks(captures, a, &same))
        return DIFF_TROUBLE;
    const int missing_a = query_print_missing(captures[0]), missing_b = query_print_missing(captures[1]);
    const bool missing = missing_a || missing_b;
    if (a->json)
        printf("%s  \"missing\": %s\n}\n", a->functions ? "" : ",\n", missing ? "true" : "false");
    return missing ? DIFF_TROUBLE : same ? DIFF_SAME : DIFF_DIFFERENT;
}

/* false: a message says which options exclude each other. */
static bool check(const struct arguments *a)
{
    if (a->branches && (a->functions || a->json)) {
        message_print("diff: --branches excludes --functions and --json");
        return false;
    }
    if (a->cpu != ARGUMENT_NOT_GIVEN && !a->branches) {
        message_print("diff: --cpu requires --branches: tasks are compared on all CPUs");
        return false;
    }
    return true;
}

int command_diff(int argc, char **argv)
{
    static struct arguments a = {.cpu = ARGUMENT_NOT_GIVEN, .lines = 20};
    static struct indexed_capture captures[2];
    const struct argument options[] = {ARGUMENT_CPU(&a.cpu),
                                       {"functions", ARGUMENT_FLAG, &a.functions, 0},
                                       {"counts", ARGUMENT_FLAG, &a.counts, 0},
                                       {"branches", ARGUMENT_FLAG, &a.branches, 0},
                                       {"lines", ARGUMENT_NUMBER, &a.lines, UINT64_MAX - 1},
                                       {"json", ARGUMENT_FLAG, &a.json, 0},
                                       QUERY_OPTIONS(&a.query)};
    const struct syntax syntax = {"diff", usage, options, sizeof(options) / sizeof(options[0]), 2, 0};
    int status = arguments_parse(&syntax, argc, argv, a.captures);
    if (status != ARGUMENTS_GOOD)
        return status == 0 ? DIFF_SAME : DIFF_TROUBLE;
    if (!check(&a))
        return DIFF_TROUBLE;
    a.cpu = a.cpu == ARGUMENT_NOT_GIVEN ? 0 : a.cpu;
    const struct indexed_capture *const pair[2] = {&captures[0], &captures[1]};
    status = DIFF_TROUBLE;
    if (query_open(&captures[0], a.captures[0], &a.query)) {
        if (query_open(&captures[1], a.captures[1], &a.query)) {
            status = compare(pair, &a);
            indexed_capture_close(&captures[1]);
        }
        indexed_capture_close(&captures[0]);
    }
    return status;
}
