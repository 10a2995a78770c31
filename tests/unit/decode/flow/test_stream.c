/* The scheduler: whatever the number of threads, a consumer gets what one engine yields, in order; also when it does
 * not pull for long, or stops in the middle. And copies of batches are whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/flow/stream_state.h"
#include "tests/unit/decode/engine/flow_fixture.h"

#define STRETCHES 6000u

/* The packets of one loop, repeated: each stretch has the time of its number. */
static void make_trace(struct flow_trace *trace, struct fixture *f, uint64_t first_tsc, uint16_t cpu)
{
    uint8_t *bytes = malloc(STRETCHES * 128u);
    size_t size = 0;
    add_code(f);
    start(f);
    for (unsigned i = 0; i < STRETCHES; i++) {
        f->size = 0;
        put(f, (struct packet){.kind = PT_PACKET_PSB});
        f->last_ip = 0;
        put(f, (struct packet){.kind = PT_PACKET_TSC, .payload = first_tsc + 2 * i});
        put_pip(f, true);
        put(f, (struct packet){.kind = PT_PACKET_MODE_EXEC, .cs_l = true});
        put_ip(f, PT_PACKET_FUP, CODE);
        put(f, (struct packet){.kind = PT_PACKET_PSBEND});
        put_tnt(f, i % 2 ? "!" : ".");
        put_ip(f, PT_PACKET_TIP, CODE);
        put_tnt(f, "!");
        memcpy(bytes + size, f->trace, f->size);
        size += f->size;
    }
    *trace = (struct flow_trace){.pages = f->pages};
    trace->pages.cpu = cpu;
    trace->input = (struct flow_input){.trace = bytes, .trace_size = size, .pages = &trace->pages};
}

struct sums {
    uint64_t branches, hash, stretches, last_time;
};

static void add(struct sums *sums, const struct stream_item *item)
{
    const struct flow_batch *batch = item->batch;
    assert_true(item->time >= sums->last_time);
    sums->last_time = item->time;
    sums->stretches += batch->kind == FLOW_BATCH_END;
    for (size_t i = 0; batch->kind == FLOW_BATCH_ITEMS && i < batch->count; i++, sums->branches++)
        sums->hash =
            truth_hash(sums->hash, batch->items[i].branch.from + batch->context.cpu, batch->items[i].branch.to);
}

static struct sums pull(const struct stream_part *parts, size_t count, unsigned threads)
{
    const struct stream_options options = {
        .needs = FLOW_NEED_BRANCHES | FLOW_NEED_TIME, .threads = threads, .by_time = count > 1};
    const struct stream_item *item;
    struct error error = {0};
    struct sums sums = {.hash = TRUTH_HASH_SEED};
    struct stream *stream = stream_open(parts, count, &options, &error);
    assert_non_null(stream);
    while ((item = stream_next(stream)))
        add(&sums, item);
    assert_true(stream_good(stream, &error));
    stream_close(stream);
    return sums;
}

static void threads_do_not_matter(void **state)
{
    static struct fixture f[2];
    static struct flow_trace traces[2];
    (void)state;
    make_trace(&traces[0], &f[0], 1000, 0);
    make_trace(&traces[1], &f[1], 1001, 1);
    const struct stream_part parts[2] = {{.trace = &traces[0], .part = flow_part(traces[0].input.trace_size, 0, 0)},
                                         {.trace = &traces[1], .part = flow_part(traces[1].input.trace_size, 0, 0)}};
    for (size_t count = 1; count <= 2; count++) {
        const struct sums one = pull(parts, count, 1);
        assert_int_equal(one.stretches, count * STRETCHES);
        assert_true(one.branches >= 4 * one.stretches);
        for (unsigned threads = 2; threads <= 5; threads += 3) {
            const struct sums many = pull(parts, count, threads);
            assert_int_equal(many.branches, one.branches);
            assert_int_equal(many.hash, one.hash);
            assert_int_equal(many.stretches, one.stretches);
        }
    }
    const struct stream_options options = {.needs = FLOW_NEED_BRANCHES, .threads = 3};
    struct error error = {0};
    struct stream *stream = stream_open(parts, 2, &options, &error);
    assert_non_null(stream_next(stream)); /* and no more */
    stream_close(stream);
}

static void copies_are_whole(void **state)
{
    (void)state;
    const union flow_item items[3] = {{.instruction = 7}, {.instruction = 8}, {.instruction = 9}};
    const uint8_t tags[3] = {1, 2, 3};
    const struct flow_result result = {.branches = 12};
    const struct flow_gap gap = {3, 4, true};
    const struct flow_batch batches[] = {
        {.kind = FLOW_BATCH_ITEMS, .items = items, .tags = tags, .count = 3, .context.tsc = 42},
        {.kind = FLOW_BATCH_ITEMS, .items = items, .count = 2},
        {.kind = FLOW_BATCH_GAP, .gap = &gap},
        {.kind = FLOW_BATCH_TEXT, .text = "line\n", .count = 5, .list = 1},
        {.kind = FLOW_BATCH_POSITION, .position = {77, true}},
        {.kind = FLOW_BATCH_END, .result = &result, .conditional = 6}};
    struct stream_page *first = NULL, *last = NULL;
    struct flow_batch batch;
    size_t at = 0;
    for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++)
        assert_true(stream_page_put(&first, &last, &batches[i]) > 0);
    assert_true(stream_page_read(&batch, first, &at));
    assert_true(batch.items != items && batch.context.tsc == 42);
    assert_memory_equal(batch.items, items, sizeof(items));
    assert_memory_equal(batch.tags, tags, sizeof(tags));
    assert_true(stream_page_read(&batch, first, &at));
    assert_null(batch.tags);
    assert_int_equal(batch.items[1].instruction, 8);
    assert_true(stream_page_read(&batch, first, &at));
    assert_int_equal(batch.gap->end, 4);
    assert_true(stream_page_read(&batch, first, &at));
    assert_memory_equal(batch.text, "line\n", 5);
    assert_true(stream_page_read(&batch, first, &at));
    assert_int_equal(batch.position.ip, 77);
    assert_true(stream_page_read(&batch, first, &at));
    assert_int_equal(batch.result->branches, 12);
    assert_int_equal(batch.conditional, 6);
    assert_false(stream_page_read(&batch, first, &at));
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(copies_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
