/*
 * The sink's lock: callers on several CPUs (here threads) are serialized, the pieces of a record stay together, a
 * waiting caller releases the lock, and the lock of a dead holder can be broken.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serial/wire/sink.h"
#include "tests/unit/serial/sink_ops.h"

#define NR_THREADS 2u
#define ROUNDS 200u /* with few CPUs, each handover of the lock may take a time slice */
#define RECORD_BYTES 12u

/* A channel with room for a few records, which sends one with each poll. */
struct fake_sink {
    struct sink sink;
    uint8_t bytes[5 * RECORD_BYTES];
    uint32_t used, records, torn, inside, polls;
    uint64_t spans, released[NR_THREADS];
    struct command_box box;
};

static struct fake_sink *fake_of(const struct sink *sink)
{
    return (struct fake_sink *)(uintptr_t)sink;
}

static void enter(struct fake_sink *fake)
{
    assert_int_equal(__atomic_fetch_add(&fake->inside, 1, __ATOMIC_RELAXED), 0);
}

static void leave(struct fake_sink *fake)
{
    __atomic_fetch_sub(&fake->inside, 1, __ATOMIC_RELAXED);
}

/* All bytes of a record are its writer's number. */
static void take_one_off(struct fake_sink *fake)
{
    if (fake->used == 0)
        return;
    for (uint32_t i = 1; i < RECORD_BYTES; i++)
        fake->torn += fake->bytes[i] != fake->bytes[0];
    fake->records++;
    fake->used -= RECORD_BYTES;
    memmove(fake->bytes, fake->bytes + RECORD_BYTES, fake->used);
}

static void fake_poll(struct sink *sink)
{
    struct fake_sink *fake = fake_of(sink);
    enter(fake);
    fake->polls++;
    take_one_off(fake);
    leave(fake);
}

static bool fake_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    struct fake_sink *fake = fake_of(sink);
    (void)va, (void)pa;
    enter(fake);
    bool room = fake->spans++ % 3 != 1;
    if (room)
        fake->released[cpu] = offset + size;
    leave(fake);
    return room;
}

static bool fake_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    struct fake_sink *fake = fake_of(sink);
    (void)cpu;
    enter(fake);
    bool room = fake->used + RECORD_BYTES <= sizeof(fake->bytes);
    for (uint32_t i = 0; room && i < nr; i++) {
        memcpy(fake->bytes + fake->used, pieces[i].bytes, pieces[i].size);
        fake->used += pieces[i].size;
    }
    leave(fake);
    return room;
}

static uint64_t fake_released(const struct sink *sink, uint16_t cpu)
{
    return fake_of(sink)->released[cpu];
}

static bool fake_delivered(struct sink *sink)
{
    fake_poll(sink);
    return fake_of(sink)->used == 0;
}

static bool fake_busy(const struct sink *sink)
{
    return fake_of(sink)->used != 0;
}

static struct command_box *fake_commands(struct sink *sink)
{
    return &fake_of(sink)->box;
}

static const struct sink_ops fake_ops = FAKE_SINK_OPS;

struct caller {
    struct sink *sink;
    uint16_t cpu;
};

static void *call(void *context)
{
    const struct caller *caller = context;
    uint8_t bytes[RECORD_BYTES];
    memset(bytes, caller->cpu, sizeof(bytes));
    const struct sink_piece pieces[] = {{bytes, 3}, {bytes, 0}, {bytes, 8}, {bytes, 1}};
    for (uint64_t i = 0; i < ROUNDS; i++) {
        sink_record(caller->sink, caller->cpu, pieces, 4);
        sink_trace(caller->sink, caller->cpu, i, NULL, 0, 1);
        assert_int_equal(sink_released(caller->sink, caller->cpu), i + 1);
    }
    return NULL;
}

static void many_callers_one_at_a_time(void **state)
{
    struct fake_sink fake = {.sink = {.ops = &fake_ops, .nr_cpus = NR_THREADS}};
    pthread_t threads[NR_THREADS];
    struct caller callers[NR_THREADS];
    (void)state;
    for (uint16_t i = 0; i < NR_THREADS; i++) {
        callers[i] = (struct caller){&fake.sink, i};
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    }
    for (unsigned i = 0; i < NR_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(sink_drain_all(&fake.sink, ~0ull));
    assert_false(sink_busy(&fake.sink));
    assert_int_equal(fake.records, NR_THREADS * ROUNDS);
    assert_int_equal(fake.torn, 0);
    assert_true(fake.polls >= NR_THREADS * ROUNDS - 5);
}

static void a_drain_gives_up(void **state)
{
    struct fake_sink fake = {.sink = {.ops = &fake_ops, .nr_cpus = 1}};
    (void)state;
    fake.used = 2 * RECORD_BYTES;
    assert_false(sink_drain(&fake.sink, 0));
    assert_true(sink_drain(&fake.sink, ~0ull));
}

/* One thread takes the lock and dies with it. */
static void a_dead_holder_is_passed_over(void **state)
{
    struct fake_sink fake = {.sink = {.ops = &fake_ops, .nr_cpus = 1}};
    (void)state;
    const uint32_t dead = lock_take(&fake.sink.lock);
    sink_unlock_dead(&fake.sink, 1000);
    sink_poll(&fake.sink);
    assert_int_equal(fake.polls, 1);
    /* If the holder is alive after all, its release has no effect. */
    const uint32_t mine = lock_take(&fake.sink.lock);
    lock_release(&fake.sink.lock, dead);
    assert_int_equal(fake.sink.lock.serving, mine);
    lock_release(&fake.sink.lock, mine);
    assert_int_equal(fake.sink.lock.serving, fake.sink.lock.next);
}

static void force_waits_for_the_living(void **state)
{
    struct lock lock = {.next = ~0u, .serving = ~0u};
    (void)state;
    lock_release(&lock, lock_take_by_force(&lock, 0));
    assert_int_equal(lock.serving, 0);
    lock_release(&lock, lock_take(&lock));
    assert_int_equal(lock.next, 1);
    assert_int_equal(lock.serving, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_callers_one_at_a_time),
        cmocka_unit_test(a_drain_gives_up),
        cmocka_unit_test(a_dead_holder_is_passed_over),
        cmocka_unit_test(force_waits_for_the_living),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
