#include "decode/cli/text/decode_text.h"

#include "decode/cli/message.h"
#include "decode/cli/text/run_flow.h"
#include "decode/report/number_text.h"
#include "decode/report/summary.h"

void print_sums(FILE *file, const struct flow_run *run)
{
    char number[COUNT_TEXT_SIZE];
    fprintf(file, "stretches          %s\n", count_text(number, run->stretches));
    fprintf(file, "branches           %s\n", count_text(number, run->branches));
    fprintf(file, "instructions       %s\n", count_text(number, run->instructions));
    fprintf(file, "blocks             %s\n", count_text(number, run->blocks));
    fprintf(file, "overflows          %s\n", count_text(number, run->overflows));
    fprintf(file, "decode gaps        %s, ", count_text(number, run->decode_gaps.count));
    fprintf(file, "of %s bytes\n", count_text(number, run->decode_gaps.bytes));
    fprintf(file, "before any PSB     %s bytes\n", count_text(number, run->lost.bytes));
    fprintf(file, "seconds            %.2f\n", run->seconds);
}

int say_decoded(const struct capture *capture, unsigned cpu, const struct flow_run *run)
{
    struct summary summary = {0};
    char text[RESULT_TEXT_SIZE];
    if (!summary_take_capture(&summary, capture)) {
        message_print("%s: out of memory for %u CPUs", capture->directory, capture->nr_cpus);
        return 1;
    }
    if (run)
        summary_take_run(&summary, cpu, run);
    bool complete = summary.per_cpu[cpu].complete;
    if (!complete)
        message_print("%s/cpu%u.pt: %s", capture->directory, cpu, summary_result_text(text, &summary.per_cpu[cpu]));
    summary_free(&summary);
    return complete ? 0 : 2;
}

int print_decoded(FILE *file, const struct capture *capture, uint16_t cpu, const struct flow_run *run)
{
    print_sums(file, run);
    flow_errors_print(run, capture, cpu);
    return say_decoded(capture, cpu, run);
}
