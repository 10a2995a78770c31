/* Gaps: where a trace is cut into spans and stretches, and that nothing is decoded across a gap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/psb.h"
#include "tests/unit/decode/engine/flow_fixture.h"

/* The spans of a trace of 1000 bytes with these gaps, as pairs ended by -1. */
static void expect_spans(const struct record_gap *items, size_t count, const int *pairs)
{
    struct gaps gaps = {(struct record_gap *)(uintptr_t)items, count};
    struct flow_span span = {0};
    size_t gap = 0;
    for (; pairs[0] >= 0; pairs += 2) {
        assert_true(flow_span_next(&span, &gap, &gaps, 1000));
        assert_int_equal(span.begin, pairs[0]);
        assert_int_equal(span.end, pairs[1]);
    }
    assert_false(flow_span_next(&span, &gap, &gaps, 1000));
}

static void spans_lie_between_gaps(void **state)
{
    static const struct record_gap pauses[] = {{.at = 0}, {.at = 100}, {.at = 100}, {.at = 300}, {.at = 1000}};
    static const struct record_gap missing[] = {
        {.at = 0, .size = 10}, {.at = 100, .size = 50},        {.at = 120, .size = 10}, {.at = 140, .size = 60},
        {.at = 200},           {.at = 900, .size = UINT64_MAX}};
    (void)state;
    expect_spans(NULL, 0, (int[]){0, 1000, -1});
    expect_spans(pauses, 5, (int[]){0, 100, 100, 300, 300, 1000, -1});
    expect_spans(missing, 6, (int[]){10, 100, 200, 900, -1});
    expect_spans((struct record_gap[]){{.at = 0, .size = 1000}}, 1, (int[]){-1});
    expect_spans((struct record_gap[]){{.at = 2000, .size = 1000}}, 1, (int[]){0, 1000, -1});
}

static struct flow_stretch cut(const struct fixture *f, uint64_t begin, uint64_t end, uint64_t from)
{
    struct flow_stretch stretch;
    assert_true(flow_cut_next(&stretch, f->trace, f->size, &(struct flow_span){begin, end}, from));
    return stretch;
}

static void stretches_end_at_gaps_too(void **state)
{
    struct fixture *f = *state;
    struct flow_stretch stretch;
    put_psb(f, CODE, true);
    put_tnt(f, "!!");
    size_t second = f->size;
    put_psb(f, CODE + 0x10, true);
    size_t third = f->size;
    put_psb(f, 0, true);
    stretch = cut(f, 0, f->size, 0);
    assert_int_equal(stretch.end, second);
    assert_int_equal(stretch.ends, FLOW_ENDS_AT_PSB_IP);
    assert_int_equal(stretch.boundary_ip, CODE + 0x10);
    stretch = cut(f, 0, second - 1, 0);
    assert_int_equal(stretch.end, second - 1);
    assert_int_equal(stretch.ends, FLOW_ENDS_AT_GAP);
    /* A PSB with a gap in it is not a PSB, and packets after a gap belong to another place. */
    stretch = cut(f, 0, second + 15, 0);
    assert_int_equal(stretch.end, second + 15);
    stretch = cut(f, 0, second + 16, 0);
    assert_int_equal(stretch.end, second);
    assert_int_equal(stretch.ends, FLOW_ENDS_AT_PSB);
    stretch = cut(f, 0, f->size, 1);
    assert_int_equal(stretch.begin, second);
    assert_int_equal(stretch.end, third);
    assert_int_equal(stretch.ends, FLOW_ENDS_AT_PSB_OFF);
    stretch = cut(f, 0, f->size, second + 1);
    assert_int_equal(stretch.ends, FLOW_ENDS_WITH_TRACE);
    assert_false(flow_cut_next(&stretch, f->trace, f->size, &(struct flow_span){0, f->size}, third + 1));
}

/* Two gaps between two PSBs: the packets between them have no PSB before them, and are not the first one's rest. And a
 * gap after the next PSB counts as well. */
static void both_gaps_of_an_interval_count(void **state)
{
    struct fixture *f = *state;
    struct record_gap items[3] = {{0}};
    struct flow_span span = {0};
    struct flow_result result;
    size_t gap = 0;
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    items[0].at = f->size;
    put_tnt(f, "!!!!!!");
    items[1].at = f->size;
    put_tnt(f, "!!!!!!");
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    items[2].at = f->size;
    put_off(f, CODE);
    start(f);
    const struct gaps gaps = {items, 3};
    assert_true(flow_span_next(&span, &gap, &gaps, f->size));
    struct flow_stretch stretch = cut(f, span.begin, span.end, 0);
    decode_stretch(f, &stretch, &result);
    assert_int_equal(result.error, FLOW_OK);
    expect(f, (int[]){0x02, 0x06, -1});
    assert_true(flow_span_next(&span, &gap, &gaps, f->size));
    assert_int_equal(span.end, items[1].at);
    assert_false(flow_cut_next(&stretch, f->trace, f->size, &span, span.begin));
    assert_true(flow_span_next(&span, &gap, &gaps, f->size));
    stretch = cut(f, span.begin, span.end, span.begin);
    assert_int_equal(stretch.begin, psb_next(f->trace, f->size, items[1].at));
    assert_int_equal(stretch.end, items[2].at);
    assert_int_equal(stretch.ends, FLOW_ENDS_AT_GAP);
    assert_true(flow_span_next(&span, &gap, &gaps, f->size));
    assert_false(flow_cut_next(&stretch, f->trace, f->size, &span, span.begin));
    assert_false(flow_span_next(&span, &gap, &gaps, f->size));
}

/* Bytes that the hardware has written over look like trace, PSBs and all. */
static void bytes_of_a_gap_are_not_decoded(void **state)
{
    struct fixture *f = *state;
    struct record_gap item = {.cause = RECORD_GAP_OVERRUN};
    const struct gaps gaps = {&item, 1};
    struct flow_stretch stretch;
    struct flow_span span = {0};
    size_t gap = 0;
    add_code(f);
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    item.at = f->size;
    put_psb(f, CODE, true);
    put_tnt(f, "!");
    put_psb(f, CODE, true);
    item.size = f->size - item.at;
    put_off(f, CODE);
    assert_true(flow_span_next(&span, &gap, &gaps, f->size));
    stretch = cut(f, span.begin, span.end, 0);
    assert_int_equal(stretch.end, item.at);
    assert_int_equal(stretch.ends, FLOW_ENDS_AT_GAP);
    assert_true(flow_span_next(&span, &gap, &gaps, f->size));
    assert_int_equal(span.begin, item.at + item.size);
    assert_false(flow_cut_next(&stretch, f->trace, f->size, &span, span.begin));
}

/* A damaged packet reaches over the PSB after it. */
static void a_psb_is_found_within_what_looks_like_a_packet(void **state)
{
    struct fixture *f = begin_code(state, CODE);
    put_tnt(f, "!");
    size_t damaged = f->size;
    f->trace[f->size++] = 0x19; /* a TSC of eight bytes begins */
    size_t second = f->size;
    put_psb(f, CODE + 0x06, true);
    put_off(f, CODE + 0x06);
    start(f);
    struct flow_result result = decode(f, 0);
    assert_int_equal(result.end, second);
    assert_int_equal(result.error, FLOW_ERROR_RUN_IN);
    assert_int_equal(result.error_offset, damaged);
    expect(f, (int[]){0x02, 0x06, -1});
    result = decode(f, damaged);
    assert_int_equal(result.begin, second);
    assert_int_equal(result.error, FLOW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_lie_between_gaps),
        FLOW_TEST(stretches_end_at_gaps_too),
        FLOW_TEST(both_gaps_of_an_interval_count),
        FLOW_TEST(bytes_of_a_gap_are_not_decoded),
        FLOW_TEST(a_psb_is_found_within_what_looks_like_a_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
