/* undertrace diff: what ran in only one of two captures, and where they differ first. */
#include <inttypes.h>
#include <stdio.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/query_options.h"
#include "decode/cli/text/branch_text.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/name_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/work_bar.h"
#include "decode/query/diverge.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace diff A B [options]\n"
    "\n"
    "Compares two captures. Prints the functions that ran in only one of them, with how often and when\n"
    "first; the functions that ran more often in one; and the first branch at which the traces differ,\n"
    "with those before it.\n"
    "\n"
    "Functions are equal if symbol and object are equal; without a symbol, if they begin at the same\n"
    "address, for the kernel relative to where it was loaded.\n"
    "\n"
    "  --cpu N             print the first difference of this CPU (default: 0)\n"
    "  --functions         compare functions only\n"
    "  --counts            also list the functions that ran more often in one\n" QUERY_USAGE "\n"
    "Functions come in the order of how often they were entered, those of both in the order of how much their\n"
    "counts differ.\n"
    "\n"
    "Exit status, as of diff(1): 0 they are equal; 1 they differ; 2 trouble: an error, or parts of a trace\n"
    "are unknown, and what differs may be due to them.\n";

/* The exit statuses of diff(1). */
enum { DIFF_SAME, DIFF_DIFFERENT, DIFF_TROUBLE };

struct arguments {
    const char *captures[2];
    uint64_t cpu;
    bool functions, counts;
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

static bool print_functions(const struct indexed_capture *const captures[2], const struct compare_slide *slide,
                            bool list, bool *same)
{
    struct comparison c;
    const bool good = compare_functions(&c, captures[0], captures[1], slide);
    if (good) {
        comparison_sort(&c);
        print_only(captures[0], &c, 0);
        print_only(captures[1], &c, 1);
        print_counts(&c, list);
        *same = c.only_a == 0 && c.only_b == 0 && c.other_counts == 0;
    } else {
        message_print("diff: out of memory for the functions");
    }
    comparison_free(&c);
    return good;
}

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
    if (slide.known && slide.difference)
        printf("the kernel of %s is %#" PRIx64 " %s that of %s\n", captures[1]->capture->directory,
               slide.difference >> 63 ? 0 - slide.difference : slide.difference,
               slide.difference >> 63 ? "below" : "above", captures[0]->capture->directory);
    if (!print_functions(captures, &slide, a->counts, &same))
        return DIFF_TROUBLE;
    if (!a->functions && !print_divergence(captures, &slide, (uint16_t)a->cpu, &same))
        return DIFF_TROUBLE;
    const int missing_a = query_print_missing(captures[0]), missing_b = query_print_missing(captures[1]);
    return missing_a || missing_b ? DIFF_TROUBLE : same ? DIFF_SAME : DIFF_DIFFERENT;
}

int command_diff(int argc, char **argv)
{
    static struct arguments a;
    static struct indexed_capture captures[2];
    const struct argument options[] = {ARGUMENT_CPU(&a.cpu),
                                       {"functions", ARGUMENT_FLAG, &a.functions, 0},
                                       {"counts", ARGUMENT_FLAG, &a.counts, 0},
                                       QUERY_OPTIONS(&a.query)};
    const struct syntax syntax = {"diff", usage, options, sizeof(options) / sizeof(options[0]), 2, 0};
    int status = arguments_parse(&syntax, argc, argv, a.captures);
    if (status != ARGUMENTS_GOOD)
        return status == 0 ? DIFF_SAME : DIFF_TROUBLE;
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
