/* Cutting off a channel that makes no progress: how long callers wait, and what the channel takes afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serial/wire/sink_cut.h"

#define PATIENCE (1ull << 20) /* TSC ticks */

/* A channel with room for so many records, which does not grow. */
static struct {
    struct sink sink;
    struct sink_cut cut;
    uint32_t room, records, traces, polls;
    uint64_t arrived, arrives; /* acknowledged bytes; added by each poll */
    struct command_box box;
} fake;

static bool fake_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    (void)sink, (void)cpu, (void)offset, (void)va, (void)pa, (void)size;
    fake.traces++;
    return true;
}

static bool fake_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    (void)sink, (void)cpu, (void)pieces, (void)nr;
    fake.records += fake.room > 0;
    return fake.room > 0 ? fake.room-- > 0 : false;
}

static uint64_t fake_released(const struct sink *sink, uint16_t cpu)
{
    (void)sink, (void)cpu;
    return 0;
}

static void fake_poll(struct sink *sink)
{
    (void)sink;
    fake.polls++;
    fake.arrived += fake.arrives;
}

static bool fake_no(struct sink *sink)
{
    (void)sink;
    return false;
}

static bool fake_busy(const struct sink *sink)
{
    (void)sink;
    return true;
}

static struct command_box *fake_commands(struct sink *sink)
{
    (void)sink;
    return &fake.box;
}

static uint64_t fake_taken(const struct sink *sink, uint16_t cpu)
{
    (void)sink;
    return 1000u + cpu;
}

static const struct sink_ops ops = {.name = "fake",
                                    .trace = fake_trace,
                                    .record = fake_record,
                                    .released = fake_released,
                                    .poll = fake_poll,
                                    .delivered = fake_no,
                                    .busy = fake_busy,
                                    .commands = fake_commands};

static void set_up(uint32_t room)
{
    fake.sink = (struct sink){.ops = &ops, .nr_cpus = 2};
    fake.room = room;
    fake.records = fake.traces = fake.polls = 0;
    fake.arrived = fake.arrives = 0;
    fake.box.tail = 0;
    sink_cut_init(&fake.sink, &fake.cut, PATIENCE, &fake.arrived, fake_taken);
    assert_false(sink_is_cut(&fake.sink));
}

static void record(void)
{
    sink_record(&fake.sink, 0, &(struct sink_piece){"x", 1}, 1);
}

static void a_record_waits_and_is_lost(void **state)
{
    (void)state;
    set_up(2);
    record();
    record();
    assert_int_equal(fake.cut.lost, 0);
    const uint64_t start = __builtin_ia32_rdtsc();
    record(); /* returns */
    assert_true(__builtin_ia32_rdtsc() - start >= PATIENCE);
    assert_true(sink_is_cut(&fake.sink));
    assert_true(fake.polls > 0);
    assert_int_equal(fake.records, 2);
    assert_int_equal(fake.cut.lost, 1);
    record(); /* returns at once */
    assert_int_equal(fake.cut.lost, 2);
    fake.room = 1; /* the wire is back */
    record();
    assert_int_equal(fake.records, 3);
    assert_int_equal(fake.cut.lost, 2);
}

/* CPUs that wait in turn, one of them with another TSC: the cut comes when each has waited for so long. */
static void tscs_of_cpus_differ(void **state)
{
    (void)state;
    const int64_t skews[] = {0, 500, 2000, 100000, 10 * (int64_t)PATIENCE, -2000, -10 * (int64_t)PATIENCE};

    for (size_t i = 0; i < sizeof skews / sizeof skews[0]; i++) {
        const uint64_t start = 1ull << 40;
        uint64_t now = start;
        uint16_t cpu = 0;

        set_up(0);
        for (; !sink_cut_is_due(&fake.cut, cpu, now + (cpu ? (uint64_t)skews[i] : 0)); cpu = !cpu)
            now += 1000;
        assert_in_range(now - start, PATIENCE, PATIENCE + 2000);
    }
}

static void trace_is_taken_no_more(void **state)
{
    (void)state;
    set_up(0);
    sink_trace(&fake.sink, 0, 0, NULL, 0, 1);
    record();
    sink_trace(&fake.sink, 0, 1, NULL, 0, 1);
    assert_int_equal(fake.traces, 1);
    assert_int_equal(fake.cut.taken(&fake.sink, 1), 1001);
    const uint32_t polls = fake.polls;
    sink_poll(&fake.sink); /* it keeps trying */
    assert_int_equal(fake.polls, polls + 1);
}

static void each_cpu_is_called(void **state)
{
    (void)state;
    set_up(0);
    fake.box.tail = 7;
    for (uint32_t cursor = 0; cursor <= 7; cursor += 7)
        assert_int_equal(sink_command_waits(&fake.sink, cursor), cursor != 7);
    record();
    for (uint32_t cursor = 0; cursor < 100; cursor++)
        assert_true(sink_command_waits(&fake.sink, cursor));
}

/* A slow wire is not cut while anything arrives. */
static void a_slow_wire_is_waited_for(void **state)
{
    (void)state;
    set_up(0);
    for (const uint64_t start = __builtin_ia32_rdtsc(); __builtin_ia32_rdtsc() - start < 4 * PATIENCE;) {
        fake.arrived++;
        sink_wait(&fake.sink, 0);
        assert_false(sink_is_cut(&fake.sink));
    }
    while (!sink_is_cut(&fake.sink))
        sink_wait(&fake.sink, 0);
}

/* A receiver that acknowledges some bytes now and then makes no progress. */
static void a_trickle_is_no_progress(void **state)
{
    uint64_t now = 1ull << 40;

    (void)state;
    set_up(0);
    fake.cut.least = 1000;
    for (uint32_t i = 0; i < 100; i++) { /* 1000 bytes in ten tenths of the patience */
        assert_false(sink_cut_is_due(&fake.cut, 0, now += PATIENCE / 10));
        fake.arrived += 101;
    }
    assert_int_equal(sink_least(&fake.sink, PATIENCE / 2), 1);
    fake.cut.least = 1 << 20;
    assert_in_range(sink_least(&fake.sink, PATIENCE / 2), (1 << 19) - 1024, (1 << 19) + 1024);
    fake.cut.counted = fake.arrived;
    for (uint32_t i = 0; !sink_cut_is_due(&fake.cut, 0, now += PATIENCE / 10); i++) {
        assert_true(i < 20);
        fake.arrived += 1000;
    }
}

/* Time without a waiting caller does not count. */
static void a_wait_starts_again(void **state)
{
    (void)state;
    set_up(0);
    sink_wait(&fake.sink, 0);
    fake.cut.waits[0].since -= 10 * PATIENCE;
    fake.cut.waits[0].last -= PATIENCE;
    sink_wait(&fake.sink, 0);
    assert_false(sink_is_cut(&fake.sink));
    fake.cut.waits[0].since -= 10 * PATIENCE;
    fake.cut.waits[0].last = __builtin_ia32_rdtsc();
    fake.cut.patience *= 1024; /* so that it does not expire if the test is preempted */
    fake.cut.waits[0].since -= 10 * fake.cut.patience;
    sink_wait(&fake.sink, 0);
    assert_true(sink_is_cut(&fake.sink));
}

static void patience_is_the_least(void **state)
{
    (void)state;
    set_up(0);
    assert_int_equal(sink_patience(&fake.sink, 5), 5);
    assert_int_equal(sink_patience(&fake.sink, 5 * PATIENCE), PATIENCE);
    struct sink other = {.ops = &ops, .nr_cpus = 1};
    assert_int_equal(sink_patience(&other, 5 * PATIENCE), 5 * PATIENCE);
    sink_wait(&other, 0); /* for ever */
    assert_false(sink_is_cut(&other));
}

/* After an END that was not the end, the receiver may have exited: the patience is lower until something arrives. */
static void after_an_end_waits_are_short(void **state)
{
    (void)state;
    set_up(0);
    fake.cut.patience = fake.cut.usual = 1ull << 60;
    assert_int_equal(fake.cut.hasty, PATIENCE);
    sink_wait(&fake.sink, 0);
    sink_hurry(&fake.sink);
    assert_int_equal(sink_patience(&fake.sink, ~0ull), PATIENCE);
    fake.arrived++; /* the receiver answers */
    sink_wait(&fake.sink, 0);
    assert_int_equal(sink_patience(&fake.sink, ~0ull), 1ull << 60);
    sink_hurry(&fake.sink);
    const uint64_t start = __builtin_ia32_rdtsc();
    record(); /* returns */
    assert_true(__builtin_ia32_rdtsc() - start >= PATIENCE);
    assert_true(sink_is_cut(&fake.sink));
    struct sink other = {.ops = &ops, .nr_cpus = 1};
    sink_hurry(&other); /* no effect on a channel without limit */
    assert_null(other.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_waits_and_is_lost),   cmocka_unit_test(trace_is_taken_no_more),
        cmocka_unit_test(tscs_of_cpus_differ),          cmocka_unit_test(each_cpu_is_called),
        cmocka_unit_test(a_slow_wire_is_waited_for),    cmocka_unit_test(a_wait_starts_again),
        cmocka_unit_test(a_trickle_is_no_progress),     cmocka_unit_test(patience_is_the_least),
        cmocka_unit_test(after_an_end_waits_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
