#include "decode/report/verified.h"

#include <inttypes.h>

#include "decode/report/difference.h"
#include "decode/report/number_text.h"

void verified_json(FILE *file, const struct verified *v)
{
    const struct truth_comparison *c = &v->comparison;
    json_figure(file, "branches", figure_of(c->branches), ", ");
    json_figure(file, "matched", figure_of(c->matched), ", ");
    json_figure(file, "intervals", figure_of(c->intervals), ", ");
    json_figure(file, "equal_intervals", figure_of(c->equal_intervals), ", ");
    json_figure(file, "in_gaps", figure_of(c->in_gaps), ", ");
    json_figure(file, "branches_in_gaps", figure_of(c->branches_in_gaps), ", ");
    json_figure(file, "parts", figure_of(c->parts), ", ");
    json_figure(file, "branches_in_parts", figure_of(c->branches_in_parts), ", ");
    json_figure(file, "unplaced_parts", figure_of(v->unplaced_parts), ", ");
    json_figure(file, "one_by_one", figure_of(v->listed_branches), ", ");
    json_figure(file, "decoded_branches", figure_of(v->branches), ", ");
    json_figure(file, "decoded_instructions", figure_of(v->instructions), ", ");
    json_figure(file, "instructions", v->taken, ", ");
    json_figure(file, "decode_errors", figure_of(v->errors), ", ");
    json_figure(file, "overflows", figure_of(v->overflows), ", ");
    fputs("\"first_divergence\": ", file);
    difference_json(file, &c->first);
}

void verified_print(FILE *file, const struct verified *v)
{
    const struct truth_comparison *c = &v->comparison;
    char matched[COUNT_TEXT_SIZE], branches[COUNT_TEXT_SIZE];
    uint64_t compared = c->branches - c->branches_in_gaps;
    fprintf(file, "branches matched   %s of %s (%.3f %%)\n", count_text(matched, c->matched),
            count_text(branches, compared), compared ? 100.0 * (double)c->matched / (double)compared : 100.0);
    fprintf(file, "intervals equal    %s of %s\n", count_text(matched, c->equal_intervals),
            count_text(branches, c->intervals - c->in_gaps));
    if (c->in_gaps)
        fprintf(file,
                "in gaps            %s branches in %" PRIu64 " interval%s; %s of them decoded, in %" PRIu64
                " first part%s\n",
                count_text(matched, c->branches_in_gaps), c->in_gaps, plural(c->in_gaps),
                count_text(branches, c->branches_in_parts), c->parts, plural(c->parts));
    if (v->listed)
        fprintf(file, "one by one         %s branches in %" PRIu64 " stretch%s\n",
                count_text(matched, v->listed_branches), v->listed, v->listed == 1 ? "" : "es");
    if (v->unplaced_parts)
        fprintf(file,
                "not compared       %" PRIu64
                " first parts of intervals: they follow an unknown number of missing bytes\n",
                v->unplaced_parts);
    fprintf(file, "branches decoded   %s\n", count_text(matched, v->branches));
    fprintf(file, "instructions       %s decoded", count_text(matched, v->instructions));
    if (v->taken.known)
        fprintf(file, ", %s retired", count_text(branches, v->taken.value));
    fprintf(file, "\nseconds            %.2f\n", v->seconds);
    if (!v->truth_ended)
        fputs("the truth file has no end: the emulator was stopped\n", file);
    if (c->extra_stretches)
        fprintf(file, "%" PRIu64 " decoded stretches begin or end where the emulated CPU wrote no PSB\n",
                c->extra_stretches);
    if (c->first.found)
        difference_print(file, &c->first);
}

void verified_add(struct verified *sum, const struct verified *v)
{
    struct truth_comparison *c = &sum->comparison;
    truth_add(c, &v->comparison);
    sum->taken.known = sum->taken.known && v->taken.known;
    sum->taken.value += v->taken.value;
    sum->branches += v->branches;
    sum->instructions += v->instructions;
    sum->errors += v->errors;
    sum->overflows += v->overflows;
    sum->listed += v->listed;
    sum->listed_branches += v->listed_branches;
    sum->unplaced_parts += v->unplaced_parts;
    sum->seconds += v->seconds;
    sum->truth_ended = sum->truth_ended && v->truth_ended;
    sum->equal = sum->equal && v->equal;
}
