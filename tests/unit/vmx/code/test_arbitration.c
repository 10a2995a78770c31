/* Arbitration between CPUs for a page: no CPU waits longer than one grant to each CPU that came first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/code/arbitration.h"

#define PAGE 0x5000ull
#define MANY 64u

static struct arbitration arbitration;
static uint64_t now;

static int reset(void **state)
{
    (void)state;
    memset(&arbitration, 0, sizeof arbitration);
    now = 1000;
    return 0;
}

/* The CPU takes the page at once and enters the guest. */
static void take(uint32_t cpu, uint64_t gpa)
{
    struct arbitration_claim claim;

    assert_true(arbitration_request(&arbitration, cpu, gpa, now, &claim));
    arbitration_begin(arbitration_grant(&arbitration, cpu, gpa, &claim), cpu, now);
}

/* A CPU that has queued takes the page. */
static void take_queued(uint32_t cpu, const struct arbitration_claim *claim)
{
    assert_true(arbitration_is_ready(claim, now));
    arbitration_admit(claim);
    arbitration_begin(arbitration_grant(&arbitration, cpu, PAGE, claim), cpu, now);
}

static struct arbitration_claim queue(uint32_t cpu)
{
    struct arbitration_claim claim;

    assert_false(arbitration_request(&arbitration, cpu, PAGE, now, &claim));
    return claim;
}

static void a_free_page_is_taken_at_once(void **state)
{
    (void)state;
    take(3, PAGE);
    take(3, PAGE);
    now += ARBITRATION_TURN_TSC;
    take(1, PAGE);
}

static void others_wait_for_the_end_of_a_turn(void **state)
{
    (void)state;
    take(0, PAGE);
    const struct arbitration_claim claim = queue(1);
    now += ARBITRATION_TURN_TSC - 1;
    assert_false(arbitration_is_ready(&claim, now));
    now++;
    take_queued(1, &claim);
}

/* By a clock that is slightly lower than the holder's, a turn has its whole length. */
static void a_clock_within_the_error_cuts_no_turn_short(void **state)
{
    (void)state;
    take(0, PAGE);
    now -= ARBITRATION_CLOCK_ERROR;
    const struct arbitration_claim claim = queue(1);
    now += ARBITRATION_CLOCK_ERROR + ARBITRATION_TURN_TSC - 1;
    assert_false(arbitration_is_ready(&claim, now));
    now++;
    take_queued(1, &claim);
}

/* By a clock with a lower value than the holder's, a turn would end late. */
static void no_wait_is_longer_than_a_turn_and_the_error(void **state)
{
    const uint64_t lower[] = {1, ARBITRATION_TURN_TSC - 1, ARBITRATION_TURN_TSC, 1000000, 1ull << 40};

    for (size_t i = 0; i < sizeof lower / sizeof lower[0]; i++) {
        struct arbitration_claim claim;

        reset(state);
        now = 1ull << 41;
        take(0, PAGE);
        now -= lower[i];
        if (arbitration_request(&arbitration, 1, PAGE, now, &claim))
            continue;
        now += ARBITRATION_TURN_TSC + ARBITRATION_CLOCK_ERROR;
        assert_true(arbitration_is_ready(&claim, now));
    }
}

/* The wire may delay the VM entry however long. */
static void a_turn_begins_with_the_entry(void **state)
{
    struct arbitration_claim claim, waiting;
    (void)state;
    assert_true(arbitration_request(&arbitration, 0, PAGE, now, &claim));
    struct arbitration_slot *slot = arbitration_grant(&arbitration, 0, PAGE, &claim);
    waiting = queue(1);
    now += 1000 * (uint64_t)ARBITRATION_TURN_TSC;
    assert_false(arbitration_is_ready(&waiting, now));
    arbitration_begin(slot, 0, now);
    assert_false(arbitration_is_ready(&waiting, now));
    assert_true(arbitration_is_ready(&waiting, now + ARBITRATION_TURN_TSC));
}

/* CPU 0 writes and executes the page in a loop: each of its violations requests the page again. */
static void a_turn_is_not_renewed_while_another_cpu_waits(void **state)
{
    const uint64_t begin = now;
    struct arbitration_claim claim, again;
    (void)state;
    take(0, PAGE);
    claim = queue(1);
    for (; now < begin + ARBITRATION_TURN_TSC; now += 100) {
        assert_true(arbitration_request(&arbitration, 0, PAGE, now, &again));
        arbitration_begin(arbitration_grant(&arbitration, 0, PAGE, &again), 0, now);
    }
    assert_true(arbitration_is_ready(&claim, now));
    again = queue(0); /* its turn is over: it queues as well */
    assert_false(arbitration_is_ready(&again, now));
    take_queued(1, &claim);
    assert_false(arbitration_is_ready(&again, now));
    now += ARBITRATION_TURN_TSC;
    take_queued(0, &again);
}

/* Its request was in time, what it had to do for it was not. */
static void nor_by_a_request_that_was_made_in_time(void **state)
{
    struct arbitration_claim claim, again;
    (void)state;
    take(0, PAGE);
    claim = queue(1);
    assert_true(arbitration_request(&arbitration, 0, PAGE, now + ARBITRATION_TURN_TSC - 1, &again));
    now += 2 * ARBITRATION_TURN_TSC;
    arbitration_begin(arbitration_grant(&arbitration, 0, PAGE, &again), 0, now);
    assert_true(arbitration_is_ready(&claim, now));
}

static void cpus_get_the_page_in_the_order_in_which_they_came(void **state)
{
    struct arbitration_claim claims[MANY];
    (void)state;
    take(0, PAGE);
    for (uint32_t cpu = 1; cpu < MANY; cpu++)
        claims[cpu] = queue(cpu);
    for (uint32_t cpu = 1; cpu < MANY; cpu++) {
        now += ARBITRATION_TURN_TSC;
        for (uint32_t other = cpu + 1; other < MANY; other++)
            assert_false(arbitration_is_ready(&claims[other], now));
        take_queued(cpu, &claims[cpu]);
    }
}

/* It finds the page as it needs it: then the next one goes. */
static void a_cpu_that_need_not_take_the_page_leaves_the_queue(void **state)
{
    struct arbitration_claim first, second;
    (void)state;
    take(0, PAGE);
    first = queue(1);
    second = queue(2);
    now += ARBITRATION_TURN_TSC;
    assert_true(arbitration_is_ready(&first, now));
    arbitration_admit(&first);
    take_queued(2, &second);
}

/* Turns on other pages, more than there are slots, leave the queue as it is. */
static void a_queue_keeps_its_slot(void **state)
{
    struct arbitration_claim claim;
    (void)state;
    take(0, PAGE);
    claim = queue(1);
    for (uint64_t page = 0; page < 10 * ARBITRATION_SLOTS; page++)
        take(2, 0x100000 + page * 0x1000);
    assert_false(arbitration_is_ready(&claim, now));
    (void)queue(3);
    now += ARBITRATION_TURN_TSC;
    take_queued(1, &claim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_free_page_is_taken_at_once, reset),
        cmocka_unit_test_setup(others_wait_for_the_end_of_a_turn, reset),
        cmocka_unit_test_setup(a_clock_within_the_error_cuts_no_turn_short, reset),
        cmocka_unit_test_setup(no_wait_is_longer_than_a_turn_and_the_error, reset),
        cmocka_unit_test_setup(a_turn_begins_with_the_entry, reset),
        cmocka_unit_test_setup(a_turn_is_not_renewed_while_another_cpu_waits, reset),
        cmocka_unit_test_setup(nor_by_a_request_that_was_made_in_time, reset),
        cmocka_unit_test_setup(cpus_get_the_page_in_the_order_in_which_they_came, reset),
        cmocka_unit_test_setup(a_cpu_that_need_not_take_the_page_leaves_the_queue, reset),
        cmocka_unit_test_setup(a_queue_keeps_its_slot, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
