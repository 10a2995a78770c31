/* The queues of bytes that wait to be sent: contents, order and addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/wire/stream.h"

static void spans_in_order(void **state)
{
    static uint8_t memory[3000];
    struct trace_queue q = {0};
    struct span span;

    (void)state;
    assert_true(trace_queue_empty(&q));
    assert_true(trace_queue_add(&q, (struct span){memory, 0x10000, 1000, 300}));
    assert_true(trace_queue_add(&q, (struct span){memory + 2000, 0x20000, 5, 7000}));
    trace_queue_take(&q, 600);
    span = trace_queue_peek(&q);
    assert_ptr_equal(span.va, memory + 600);
    assert_int_equal(span.pa, 0x10000 + 600);
    assert_int_equal(span.size, 400);
    assert_int_equal(span.offset, 900);
    trace_queue_take(&q, 400);
    assert_int_equal(q.sent, 1300);
    assert_int_equal(trace_queue_peek(&q).pa, 0x20000);
    trace_queue_take(&q, 5);
    assert_true(trace_queue_empty(&q));
    assert_int_equal(q.sent, 7005);
}

static void as_many_spans_as_promised(void **state)
{
    static uint8_t memory[4];
    struct trace_queue q = {.head = (uint32_t)-7, .tail = (uint32_t)-7};

    (void)state;
    for (uint32_t i = 0; i < SINK_MAX_SPANS; i++) {
        assert_true(
            trace_queue_add(&q, (struct span){memory, i, 1, i})); /* va is the same, so spans are not adjacent */
    }
    assert_false(trace_queue_add(&q, (struct span){memory, 0, 1, 0}));
    for (uint32_t i = 0; i < SINK_MAX_SPANS; i++) {
        assert_int_equal(trace_queue_peek(&q).pa, i);
        trace_queue_take(&q, 1);
    }
    assert_true(trace_queue_empty(&q));
}

static void spans_that_adjoin_are_one(void **state)
{
    static uint8_t memory[64];
    struct trace_queue q = {0};

    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        assert_true(trace_queue_add(&q, (struct span){memory + i, 0x1000 + i, 1, i}));
    }
    assert_int_equal(q.tail - q.head, 1);
    assert_int_equal(trace_queue_peek(&q).size, 60);
    trace_queue_take(&q, 10);
    assert_true(trace_queue_add(&q, (struct span){memory, 0x1000, 4, 60})); /* back at the start */
    assert_true(trace_queue_add(&q, (struct span){memory + 4, 0x1004, ~3u - 1, 64}));
    /* The size would not fit. */
    assert_true(trace_queue_add(
        &q, (struct span){(const uint8_t *)((uintptr_t)memory + ~0u), 0x1000ull + ~0u, 2, 60ull + ~0u}));
    assert_int_equal(q.tail - q.head, 3);
    assert_true(trace_queue_add(&q, (struct span){memory, 0x1000, 4, 62ull + ~0u}));
    assert_true(trace_queue_add(&q, (struct span){memory + 4, 0x1004, 4, 80ull + ~0u})); /* a hole between */
    assert_int_equal(q.tail - q.head, 5);
    assert_int_equal(trace_queue_peek(&q).size, 50);
}

static void records_around_the_ring(void **state)
{
    uint8_t ring[64], bytes[24];
    uint64_t read = 0;
    struct record_queue q = {.va = ring, .pa = 0x5000, .size = sizeof(ring)};

    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        for (unsigned i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)(round * sizeof(bytes) + i);
        }
        assert_int_equal(record_queue_space(&q, q.sent), sizeof(ring));
        record_queue_add(&q, bytes, sizeof(bytes));
        assert_int_equal(record_queue_space(&q, q.sent), sizeof(ring) - sizeof(bytes));
        while (!record_queue_empty(&q)) {
            struct span span = record_queue_peek(&q);

            assert_int_equal(span.pa - 0x5000, span.va - ring);
            assert_true(span.va + span.size <= ring + sizeof(ring));
            for (uint32_t i = 0; i < span.size; i++) {
                assert_int_equal(span.va[i], (uint8_t)read++);
            }
            record_queue_take(&q, span.size);
        }
    }
    assert_int_equal(q.end, 100 * sizeof(bytes));
}

/* A record of several pieces is appended completely, or not at all. */
static void pieces_together_or_not(void **state)
{
    uint8_t ring[16];
    struct record_queue q = {.va = ring, .pa = 0x5000, .size = sizeof(ring)};
    const struct sink_piece pieces[] = {{"abcd", 4}, {"", 0}, {"efghij", 6}};

    (void)state;
    assert_true(record_queue_add_pieces(&q, q.sent, pieces, 3));
    assert_memory_equal(ring, "abcdefghij", 10);
    assert_false(record_queue_add_pieces(&q, q.sent, pieces, 3));
    assert_int_equal(q.end, 10);
    record_queue_take(&q, 4);
    assert_true(record_queue_add_pieces(&q, q.sent, pieces, 3));
    assert_int_equal(q.end, 20);
    assert_memory_equal(ring, "ghijefghijabcdef", 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_in_order),
        cmocka_unit_test(as_many_spans_as_promised),
        cmocka_unit_test(spans_that_adjoin_are_one),
        cmocka_unit_test(records_around_the_ring),
        cmocka_unit_test(pieces_together_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
