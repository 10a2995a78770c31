#include "decode/report/difference.h"

#include <inttypes.h>

#include "decode/report/cause_text.h"
#include "decode/report/json.h"

#define BRANCHES_AROUND 8u

void difference_print(FILE *file, const struct truth_difference *d)
{
    fprintf(file, "  first difference: interval %zu, trace offsets %" PRIu64 " to %" PRIu64 "\n", d->interval,
            d->trace_begin, d->trace_end);
    if (d->missing) {
        fprintf(file, "  %" PRIu64 " branch%s taken; the capture has no stretch with this beginning and end\n",
                d->expected_branches, d->expected_branches == 1 ? " was" : "es were");
        return;
    }
    if (d->part)
        fputs("  a gap touches the interval, and the branches decoded before the gap are not the interval's first "
              "branches\n",
              file);
    fprintf(file, "  branches: %" PRIu64 " taken, %" PRIu64 " decoded%s\n", d->expected_branches, d->branches,
            d->expected_branches == d->branches ? ", but not the same" : "");
    fprintf(file, "  the last decoded one leads to %#" PRIx64, d->last_to);
    if (d->expected_last_to)
        fprintf(file, ", the last taken one to %#" PRIx64, d->expected_last_to);
    fputc('\n', file);
    if (d->error)
        fprintf(file, "  the decoder stopped at %#" PRIx64 ": %s\n", d->error_ip, flow_error_text(d->error));
}

void difference_json(FILE *file, const struct truth_difference *d)
{
    if (!d->found) {
        fputs("null", file);
        return;
    }
    struct figure branches = {!d->missing, d->branches};
    struct figure error_ip = {d->error != 0, d->error_ip};
    fputs("{", file);
    json_figure(file, "interval", figure_of(d->interval), ", ");
    json_figure(file, "trace_begin", figure_of(d->trace_begin), ", ");
    json_figure(file, "trace_end", figure_of(d->trace_end), ", ");
    json_figure(file, "expected_branches", figure_of(d->expected_branches), ", ");
    json_figure(file, "decoded_branches", branches, ", ");
    json_figure(file, "error_ip", error_ip, ", ");
    json_string(file, "error", d->error ? flow_error_text(d->error) : NULL, "}");
}

static void print_branch(FILE *file, const char *mark, uint64_t index, const struct truth_branch *branch)
{
    fprintf(file, "  %-8s %10" PRIu64 "  %016" PRIx64 " %016" PRIx64 "\n", mark, index, branch->from, branch->to);
}

void branch_parts_print(FILE *file, const struct branch_parts *parts)
{
    if (!parts->differs)
        return;
    fprintf(file, "branch by branch: the stretch at trace offset %" PRIu64 " differs at its branch %" PRIu64 "\n",
            parts->begin, parts->number);
    print_branch(file, "decoded", parts->number, &parts->decoded);
    print_branch(file, "taken", parts->number, &parts->taken);
}

void branch_difference_print(FILE *file, const struct branch_check *check)
{
    if (branch_check_equal(check))
        return;
    uint64_t at = check->differs ? check->first_index : check->decoded;
    fprintf(file, "branch by branch: %zu taken, %" PRIu64 " decoded, the first difference is at number %" PRIu64 "\n",
            check->count, check->decoded, at);
    uint64_t from = at > BRANCHES_AROUND ? at - BRANCHES_AROUND : 0;
    for (uint64_t i = from; i < at; i++)
        print_branch(file, "both", i, &check->expected[i]);
    if (check->differs)
        print_branch(file, "decoded", at, &check->first);
    for (uint64_t i = at; i < check->count && i < at + BRANCHES_AROUND / 2; i++)
        print_branch(file, "taken", i, &check->expected[i]);
}
