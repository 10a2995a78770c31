/* A capture is decoded while it grows: what is whole of it at once, the rest at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "decode/flow/flow_live.h"
#include "tests/unit/decode/capture/capture_fixture.h"
#include "tests/unit/decode/engine/flow_fixture.h"

#define LOOKS 12000u /* of 10 ms: that long a thread may wait for its turn */

static void put_code_page(struct store *store, uint64_t *offset)
{
    struct {
        struct record_page head;
        uint8_t bytes[RECORD_PAGE_SIZE];
    } page = {.head = {.gpa = 0x200000, .gva = CODE, .cr3 = 0x1000, .mode = 64, .size = RECORD_PAGE_SIZE, .number = 1}};
    memcpy(page.bytes, code, CODE_SIZE);
    put_record(store, 0, offset, RECORD_PAGE, 0, &page, sizeof(page));
}

/* Three stretches: a branch, two, and two. Returns where the third one has begun. */
static size_t put_stretches(struct fixture *trace)
{
    put_psb(trace, CODE, true);
    put_tnt(trace, "!");
    put_psb(trace, CODE + 0x06, true);
    put_ip(trace, PT_PACKET_TIP, CODE + 0x0b);
    put_psb(trace, CODE + 0x0b, true);
    const size_t third = trace->size;
    put_tnt(trace, "!");
    put_off(trace, CODE + 0x06);
    return third;
}

static void await_branches(struct flow_live *live, uint64_t branches)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    static struct flow_live_state state;
    for (unsigned i = 0; i < LOOKS && state.cpus[0].branches != branches; i++) {
        nanosleep(&pause, NULL);
        flow_live_read(live, &state);
    }
    assert_int_equal(state.cpus[0].branches, branches);
    assert_int_equal(state.cpus[0].last_to, CODE + 0x0b);
    assert_int_equal(state.cpus[0].errors, 0);
}

static void what_is_whole_is_decoded_at_once(void **state)
{
    struct capture_fixture *f = *state;
    static struct fixture trace;
    static struct flow_live_state end;
    uint64_t offset = 0;
    const size_t third = put_stretches(&trace);
    struct flow_live *live = flow_live_start(f->capture, NULL); /* which is not there yet */
    assert_non_null(live);
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    put_record(store, 0, &offset, RECORD_HELLO, 0, HELLO, sizeof(HELLO) - 1);
    put_code_page(store, &offset);
    assert_true(store_trace(store, 0, 0, trace.trace, third) && store_flush(store));
    await_branches(live, 3);
    assert_true(store_trace(store, 0, third, trace.trace + third, trace.size - third) && store_close(store));
    flow_live_finish(live, &end);
    assert_int_equal(end.nr_cpus, 1);
    assert_int_equal(end.cpus[0].branches, 5);
    assert_int_equal(end.cpus[0].errors, 0);
    assert_int_equal(end.cpus[0].offset, trace.size);
}

/* What an observer has seen of stretches that count. */
struct seen {
    unsigned items, kept, kept_items;
    bool last;
};

static void take(void *context, uint16_t cpu, const struct flow_batch *batch)
{
    struct seen *seen = context;
    assert_int_equal(cpu, 0);
    if (batch->kind == FLOW_BATCH_ITEMS)
        seen->items += (unsigned)batch->count;
}

static void settle(void *context, uint16_t cpu, bool kept)
{
    struct seen *seen = context;
    (void)cpu;
    seen->kept += kept;
    seen->kept_items += kept ? seen->items : 0;
    seen->items = 0;
}

static void scanned(void *context, bool last)
{
    struct seen *seen = context;
    seen->last = last;
}

static void an_observer_sees_each_stretch_once(void **state)
{
    struct capture_fixture *f = *state;
    static struct fixture trace;
    static struct flow_live_state end;
    uint64_t offset = 0;
    struct seen seen = {0};
    const struct flow_live_observer observer = {FLOW_NEED_BRANCHES, take, settle, scanned, &seen};
    put_stretches(&trace);
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    put_record(store, 0, &offset, RECORD_HELLO, 0, HELLO, sizeof(HELLO) - 1);
    assert_true(store_trace(store, 0, 0, trace.trace, trace.size) && store_flush(store));
    struct flow_live *live = flow_live_start(f->capture, &observer);
    nanosleep(&(const struct timespec){.tv_nsec = 400000000}, NULL); /* it tries, and has no code yet */
    put_code_page(store, &offset);
    assert_true(store_close(store));
    flow_live_last(live);
    flow_live_finish(live, &end);
    assert_true(end.done && seen.last);
    assert_int_equal(end.cpus[0].branches, 5);
    assert_int_equal(seen.kept, 3);
    assert_int_equal(seen.kept_items, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CAPTURE_TEST(what_is_whole_is_decoded_at_once),
        CAPTURE_TEST(an_observer_sees_each_stretch_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
