/* What a report says about missing parts, as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/report/summary.h"

/* Two CPUs with complete traces. */
static struct summary received(void)
{
    struct summary summary = {.cpus = 2, .per_cpu = calloc(2, sizeof(*summary.per_cpu)), .seconds_decode = -1};
    assert_non_null(summary.per_cpu);
    for (unsigned i = 0; i < 2; i++)
        summary.per_cpu[i] = (struct summary_figures){.trace_bytes = 100, .received = true, .complete = true};
    return summary;
}

static struct flow_run decoded(unsigned gaps)
{
    struct flow_run run = {.branches = 7};
    for (unsigned i = 0; i < gaps; i++)
        flow_gaps_add(&run.decode_gaps, i ? FLOW_ERROR_NO_CODE : FLOW_ERROR_NO_PSB, 1000);
    return run;
}

static char *json_of(const struct summary *summary)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fputc('{', file);
    summary_json(file, summary);
    fputc('}', file);
    fclose(file);
    return text;
}

static void take(struct summary *summary, unsigned first_gaps, unsigned second_gaps)
{
    struct flow_run first = decoded(first_gaps), second = decoded(second_gaps);
    summary_take_run(summary, 0, &first);
    summary_take_run(summary, 1, &second);
    summary_add_up(summary);
}

static void a_decoded_capture_is_complete(void **state)
{
    struct summary summary = received();
    char text[RESULT_TEXT_SIZE];
    (void)state;
    take(&summary, 0, 0);
    assert_true(summary.total.complete);
    assert_string_equal(summary_result_text(text, &summary.total), "complete");
    char *json = json_of(&summary);
    assert_non_null(strstr(json, "\"result\": \"complete\""));
    assert_null(strstr(json, "\"incomplete\""));
    assert_non_null(strstr(json, "\"decode_gaps\": {\"count\": 0, \"bytes\": 0, \"causes\": {}}"));
    free(json);
    summary_free(&summary);
}

static void decode_gaps_are_listed_and_counted(void **state)
{
    struct summary summary = received();
    char text[RESULT_TEXT_SIZE];
    (void)state;
    take(&summary, 0, 3);
    assert_true(summary.per_cpu[0].complete);
    assert_false(summary.per_cpu[1].complete || summary.total.complete);
    assert_string_equal(summary_result_text(text, &summary.total), "incomplete: 3 decode gaps");
    char *json = json_of(&summary);
    const char gaps[] = "\"decode_gaps\": {\"count\": 3, \"bytes\": 3000, \"causes\": {\"no memory mapped at this "
                        "address\": 2, \"no PSB before these bytes\": 1}}";
    char *total = strstr(json, gaps);
    assert_non_null(total);
    char *cpu = strstr(total + 1, gaps); /* of CPU 1; CPU 0 precedes it and has none */
    assert_non_null(cpu);
    assert_true(strstr(total, "\"decode_gaps\": {\"count\": 0") < cpu);
    assert_non_null(strstr(json, "\"result\": \"incomplete\""));
    free(json);
    summary_free(&summary);
}

static void a_recorded_gap_is_not_complete_however_well_it_decodes(void **state)
{
    struct summary summary = received();
    char text[RESULT_TEXT_SIZE];
    (void)state;
    summary.per_cpu[1].received = false;
    summary.per_cpu[1].gaps = 1;
    take(&summary, 0, 1);
    assert_string_equal(summary_result_text(text, &summary.total), "incomplete: the trace has gaps, 1 decode gap");
    summary.per_cpu[1].gaps = 0;
    take(&summary, 0, 0);
    assert_string_equal(summary_result_text(text, &summary.total), "incomplete: bytes or the end are missing");
    summary_free(&summary);
}

static void a_damaged_capture_is_not_complete_however_well_it_decodes(void **state)
{
    struct summary summary = received();
    char text[RESULT_TEXT_SIZE];
    (void)state;
    summary.per_cpu[0].damaged = true;
    summary.per_cpu[0].complete = false;
    take(&summary, 0, 0);
    assert_false(summary.per_cpu[0].complete || summary.total.complete);
    assert_string_equal(summary_result_text(text, &summary.total), "incomplete: files are damaged");
    take(&summary, 0, 1);
    assert_string_equal(summary_result_text(text, &summary.total), "incomplete: files are damaged, 1 decode gap");
    summary.per_cpu[1].received = false;
    take(&summary, 0, 0);
    assert_string_equal(summary_result_text(text, &summary.total),
                        "incomplete: bytes or the end are missing, files are damaged");
    summary_free(&summary);
}

/* Tables of many CPUs are split into groups that fit 100 columns. */
static void no_line_of_many_cpus_is_longer_than_100_columns(void **state)
{
    struct summary summary = {.cpus = 11, .per_cpu = calloc(11, sizeof(*summary.per_cpu)), .tsc_khz = 1000};
    const struct flow_result result = {.end = 100, .tsc = 5000, .branches = 123456789};
    char *text = NULL, *line;
    size_t size = 0;
    (void)state;
    assert_non_null(summary.per_cpu);
    for (unsigned i = 0; i < 11; i++) {
        summary.per_cpu[i] = (struct summary_figures){.trace_bytes = 123456789012, .packets = 123456789012};
        timeline_take(&summary.timeline, i, &result, 1);
    }
    summary_add_up(&summary);
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    summary_print(file, &summary);
    fclose(file);
    for (unsigned i = 0; i < 11; i++) {
        char name[16];
        snprintf(name, sizeof(name), "CPU %u", i);
        const char *first = strstr(text, name);
        assert_non_null(first);
        assert_non_null(strstr(first + 1, name)); /* in both tables */
    }
    for (char *rest = text; (line = strsep(&rest, "\n"));)
        assert_in_range(strlen(line), 0, 100);
    free(text);
    summary_free(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decoded_capture_is_complete),
        cmocka_unit_test(decode_gaps_are_listed_and_counted),
        cmocka_unit_test(a_recorded_gap_is_not_complete_however_well_it_decodes),
        cmocka_unit_test(a_damaged_capture_is_not_complete_however_well_it_decodes),
        cmocka_unit_test(no_line_of_many_cpus_is_longer_than_100_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
