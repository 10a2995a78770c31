/* The truth file and the comparison with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/capture/psb.h"
#include "decode/capture/text.h"
#include "decode/check/branch_check.h"
#include "decode/check/truth_file.h"
#include "decode/cli/text/console_tail.h"
#include "decode/engine/hot.h"
#include "decode/report/number_text.h"

/* Three checkpoints at 100, 200, 300; the end at 350. */
static struct truth_checkpoint checkpoints[3];
static struct flow_result results[3];

static struct truth_cpu example(void)
{
    for (unsigned i = 0; i < 3; i++) {
        checkpoints[i] = (struct truth_checkpoint){.kind = TRUTH_CHECKPOINT,
                                                   .trace_offset = 100 * (i + 1),
                                                   .branches = i ? 10 * i : 0,
                                                   .hash = i ? 1000 + i : TRUTH_HASH_SEED,
                                                   .last_to = 7};
        results[i] = (struct flow_result){.begin = 100 * (i + 1),
                                          .end = i < 2 ? 100 * (i + 2) : 350,
                                          .branches = i < 2 ? 10 * (i + 1) : 5,
                                          .hash = i < 2 ? 1001 + i : 1234};
    }
    return (struct truth_cpu){.checkpoints = checkpoints,
                              .nr_checkpoints = 3,
                              .ended = true,
                              .end = {.trace_bytes = 350, .branches = 5, .hash = 1234}};
}

static void equal_ones_are_equal(void **state)
{
    struct truth_cpu truth = example();
    struct truth_comparison c;
    (void)state;
    truth_compare(&c, &truth, results, 3, NULL);
    assert_false(c.first.found);
    assert_int_equal(c.branches, 35);
    assert_int_equal(c.matched, 35);
    assert_int_equal(c.intervals, 4);
    assert_int_equal(c.equal_intervals, 4);
    assert_int_equal(c.extra_stretches, 0);
}

static void every_single_difference_is_found(void **state)
{
    struct truth_cpu truth = example();
    struct truth_comparison c;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct flow_result good = results[i];
        results[i].hash ^= 1;
        truth_compare(&c, &truth, results, 3, NULL);
        assert_true(c.first.found);
        assert_int_equal(c.first.interval, i + 1);
        assert_int_equal(c.equal_intervals, 3);
        results[i] = good;
        results[i].branches++;
        truth_compare(&c, &truth, results, 3, NULL);
        assert_int_equal(c.first.interval, i + 1);
        assert_int_equal(c.matched, 35 - good.branches);
        results[i] = good;
        results[i].end--;
        truth_compare(&c, &truth, results, 3, NULL);
        assert_true(c.first.found && c.first.missing);
        results[i] = good;
    }
}

static void missing_and_extra_stretches_are_found(void **state)
{
    struct truth_cpu truth = example();
    struct truth_comparison c;
    (void)state;
    truth_compare(&c, &truth, results, 2, NULL);
    assert_true(c.first.missing);
    assert_int_equal(c.first.interval, 3);
    truth.nr_checkpoints = 2;
    truth.ended = false;
    truth_compare(&c, &truth, results, 3, NULL);
    assert_false(c.first.found);
    assert_int_equal(c.extra_stretches, 2);
}

static void branches_before_the_first_psb_differ(void **state)
{
    struct truth_cpu truth = example();
    struct truth_comparison c;
    (void)state;
    checkpoints[0].branches = 1;
    checkpoints[0].hash = 3;
    truth_compare(&c, &truth, results, 3, NULL);
    assert_int_equal(c.first.interval, 0);
    assert_true(c.first.found);
}

/* A command paused tracing before the first byte. */
static void a_gap_before_the_first_byte_has_what_was_executed_there(void **state)
{
    struct truth_cpu truth = example();
    struct record_gap at_begin = {.at = 0, .cause = RECORD_GAP_COMMAND};
    const struct gaps gaps = {.items = &at_begin, .count = 1};
    struct truth_comparison c;
    (void)state;
    checkpoints[0].branches = 3;
    checkpoints[0].hash = 77;
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_false(c.first.found);
    assert_int_equal(c.in_gaps, 1);
    assert_int_equal(c.branches_in_gaps, 3);
    assert_int_equal(c.matched, 35);
}

static void write_truth(char *name, const char *magic, size_t cut)
{
    struct truth_file_header header = {.version = 1, .nr_cpus = 2};
    struct truth_checkpoint checkpoint = {.kind = TRUTH_CHECKPOINT, .trace_offset = 5};
    struct truth_end end = {.kind = TRUTH_END, .trace_bytes = 9, .branches_total = 3};
    memcpy(header.magic, magic, 8);
    strcpy(name, "/tmp/undertrace-test-XXXXXX");
    FILE *file = fdopen(mkstemp(name), "wb");
    assert_non_null(file);
    fwrite(&header, sizeof(header), 1, file);
    fwrite(&checkpoint, sizeof(checkpoint), 1, file);
    checkpoint.cpu = 1;
    fwrite(&checkpoint, sizeof(checkpoint), 1, file);
    fwrite(&end, sizeof(end) - cut, 1, file);
    fclose(file);
}

static void files_are_read(void **state)
{
    char name[64];
    struct truth_cpu truth;
    struct error error = {0};
    (void)state;
    write_truth(name, TRUTH_MAGIC, 0);
    assert_true(truth_read(&truth, name, 0, &error));
    assert_int_equal(truth.nr_checkpoints, 1);
    assert_true(truth.ended);
    assert_int_equal(truth.end.branches_total, 3);
    truth_free(&truth);
    unlink(name);

    write_truth(name, TRUTH_MAGIC, 1);
    assert_true(truth_read(&truth, name, 1, &error));
    assert_int_equal(truth.nr_checkpoints, 1);
    assert_false(truth.ended);
    truth_free(&truth);
    unlink(name);

    write_truth(name, "UTTRUTH2", 0);
    assert_false(truth_read(&truth, name, 0, &error));
    unlink(name);
    assert_false(truth_read(&truth, name, 0, &error));
}

static void branch_lists_are_compared_one_by_one(void **state)
{
    static const struct truth_branch list[] = {{1, 2}, {3, 4}, {5, 6}};
    struct branch_check check = {.expected = list, .count = 3};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        branch_check_take(&check, list[i].from, list[i].to);
    assert_true(branch_check_equal(&check));
    branch_check_take(&check, 7, 8);
    assert_false(branch_check_equal(&check));
    assert_int_equal(check.first_index, 3);
    check = (struct branch_check){.expected = list, .count = 3};
    branch_check_take(&check, 1, 2);
    assert_false(branch_check_equal(&check));
    branch_check_take(&check, 3, 5);
    assert_int_equal(check.first_index, 1);
    assert_false(branch_check_equal(&check));
}

static void the_hottest_come_first(void **state)
{
    struct hot hot = {0}, more = {0};
    struct hot_entry top[3];
    (void)state;
    for (uint64_t i = 1; i <= 10000; i++)
        hot_add(&hot, i * 16, i % 100);
    hot_add(&more, 16 * 55, 1000);
    hot_add(&more, 3, 500);
    hot_merge(&hot, &more);
    assert_int_equal(hot_top(&hot, top, 3), 3);
    assert_int_equal(top[0].address, 16 * 55);
    assert_int_equal(top[0].count, 1055);
    assert_int_equal(top[1].address, 3);
    assert_int_equal(top[2].address, 16 * 99);
    assert_int_equal(top[2].count, 99);
    hot_free(&hot);
    hot_free(&more);
}

static void texts_are_lines_of_names_and_values(void **state)
{
    static const char lines[] = "a 1\n\nb 0x1f\nc\nd two words\ne 12x\nf 0x";
    struct record_text text = {lines, sizeof(lines) - 1}, value;
    uint64_t number;
    (void)state;
    assert_true(text_find_number(&number, text, "b"));
    assert_int_equal(number, 0x1f);
    assert_true(text_find(&value, text, "c"));
    assert_int_equal(value.size, 0);
    assert_false(text_find_number(&number, text, "c"));
    assert_true(text_find(&value, text, "d"));
    assert_int_equal(value.size, 9);
    assert_false(text_find_number(&number, text, "e"));
    assert_false(text_find_number(&number, text, "f"));
    assert_false(text_find(&value, text, "two"));
    assert_false(text_number(&number, (struct record_text){"99999999999999999999", 20}));
    assert_true(text_number(&number, (struct record_text){"0xffffffffffffffff", 18}));
    assert_int_equal(number, UINT64_MAX);
}

static void psbs_are_found(void **state)
{
    static uint8_t trace[200];
    (void)state;
    assert_int_equal(psb_next(trace, sizeof(trace), 0), PSB_NONE);
    assert_int_equal(psb_last(trace, sizeof(trace), 100), PSB_NONE);
    for (size_t i = 0; i < 16; i += 2) {
        trace[50 + i] = trace[120 + i] = 0x02;
        trace[51 + i] = trace[121 + i] = 0x82;
    }
    /* The packet before ends with the same bytes. */
    trace[48] = 0x02;
    trace[49] = 0x82;
    assert_int_equal(psb_next(trace, sizeof(trace), 0), 50);
    assert_int_equal(psb_next(trace, sizeof(trace), 50), 50);
    assert_int_equal(psb_next(trace, sizeof(trace), 51), 120);
    assert_int_equal(psb_next(trace, sizeof(trace), 121), PSB_NONE);
    assert_int_equal(psb_last(trace, sizeof(trace), 119), 50);
    assert_int_equal(psb_last(trace, sizeof(trace), 49), PSB_NONE);
    assert_int_equal(psb_last(trace, sizeof(trace), 199), 120);
}

static void the_consoles_last_line_is_clean(void **state)
{
    static const char bytes[] = "first\r\n\033[1;32msecond\033[0m line\t\r\n\r\nthird";
    struct console_tail tail = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(bytes) - 1; i++)
        console_tail_take(&tail, bytes + i, 1);
    assert_string_equal(tail.last, "second line");
    for (int i = 0; i < 1000; i++)
        console_tail_take(&tail, "x", 1);
    console_tail_take(&tail, "\n", 1);
    assert_int_equal(strlen(tail.last), CONSOLE_TAIL_MAX - 1);
}

static void numbers_are_readable(void **state)
{
    char count[COUNT_TEXT_SIZE], bytes[BYTES_TEXT_SIZE];
    (void)state;
    assert_string_equal(count_text(count, 0), "0");
    assert_string_equal(count_text(count, 999), "999");
    assert_string_equal(count_text(count, 1000), "1,000");
    assert_string_equal(count_text(count, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(bytes_text(bytes, 0), "0 B");
    assert_string_equal(bytes_text(bytes, 1536), "1.50 KiB");
    assert_string_equal(bytes_text(bytes, 233ull << 20), "233 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ones_are_equal),
        cmocka_unit_test(every_single_difference_is_found),
        cmocka_unit_test(missing_and_extra_stretches_are_found),
        cmocka_unit_test(branches_before_the_first_psb_differ),
        cmocka_unit_test(a_gap_before_the_first_byte_has_what_was_executed_there),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(branch_lists_are_compared_one_by_one),
        cmocka_unit_test(the_hottest_come_first),
        cmocka_unit_test(texts_are_lines_of_names_and_values),
        cmocka_unit_test(psbs_are_found),
        cmocka_unit_test(the_consoles_last_line_is_clean),
        cmocka_unit_test(numbers_are_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
