/* A trace with a hole that is larger than what can be read: what lies before and after it is divided into stretches, at
 * once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/flow/flow_trace.h"
#include "tests/unit/decode/capture/capture_fixture.h"
#include "tests/unit/decode/engine/flow_fixture.h"

#define HOLE (1ull << 38)

static void stretches_lie_around_a_hole(void **state)
{
    struct capture_fixture *f = *state;
    static struct fixture packets;
    uint64_t offset = 0;
    put_psb(&packets, CODE, true);
    put_psb(&packets, CODE, true);
    struct record_gap gap = {.at = packets.size, .size = HOLE, .cause = RECORD_GAP_RING};
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    put_record(store, 0, &offset, RECORD_GAP, packets.size, &gap, sizeof(gap));
    assert_true(store_trace(store, 0, 0, packets.trace, packets.size));
    assert_true(store_trace(store, 0, packets.size + HOLE, packets.trace, packets.size));
    assert_true(store_close(store));
    struct capture *capture = capture_open(f->capture, &f->error);
    struct flow_trace trace;
    assert_non_null(capture);
    alarm(20); /* reading all of the hole takes minutes */
    assert_true(flow_trace_open(&trace, capture, 0, &f->error));
    alarm(0);
    assert_int_equal(trace.nr_stretches, 4);
    assert_int_equal(trace.stretches[1].end, packets.size);
    assert_int_equal(trace.stretches[2].begin, packets.size + HOLE);
    assert_int_equal(trace.stretches[3].end, 2 * packets.size + HOLE);
    assert_int_equal(trace.stretches[1].ends, FLOW_ENDS_AT_GAP);
    assert_int_equal(trace.stretches[3].ends, FLOW_ENDS_WITH_TRACE);
    assert_int_equal(trace.lost.bytes, 0);
    flow_trace_close(&trace);
    capture_close(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CAPTURE_TEST(stretches_lie_around_a_hole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
