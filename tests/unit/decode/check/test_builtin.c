/* The self-test's own guest: its decoded branches against those that it must have taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/guest/builtin_guest.h"
#include "decode/check/builtin_check.h"
#include "decode/check/builtin_flow.h"

#define BASE 0x7654000u
#define ROUNDS 3u

static struct branch_list decoded;

static void take(void *context, uint64_t from, uint64_t to)
{
    branch_list_take(context, from, to);
}

static int setup(void **state)
{
    (void)state;
    builtin_flow(BASE, ROUNDS, take, &decoded);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    branch_list_free(&decoded);
    return 0;
}

static struct builtin_check compare(void)
{
    struct builtin_check check;
    assert_true(builtin_compare(&check, &decoded, ROUNDS));
    return check;
}

/* Remove some decoded branches. */
static void lose(size_t from, size_t nr)
{
    memmove(decoded.items + from, decoded.items + from + nr, (decoded.count - from - nr) * sizeof(*decoded.items));
    decoded.count -= nr;
}

static void assert_whole(const struct builtin_check *check)
{
    assert_false(check->differs);
    assert_int_equal(check->equal, check->expected);
    assert_int_equal(check->missing, 0);
    assert_int_equal(check->holes, 0);
}

static void test_whole(void **state)
{
    (void)state;
    const struct builtin_check check = compare();
    assert_whole(&check);
    assert_int_equal(check.expected, decoded.count);
    /* Each iteration has four branches and those of its callee; each round four of exceptions, and one of its own. */
    assert_true(check.expected > ROUNDS * (BUILTIN_ITERATIONS * 5 + 5) + BUILTIN_FILLS);
}

/* Each CALL has its RET: calls nest correctly. */
static void test_calls_return(void **state)
{
    uint64_t stack[BUILTIN_DEPTH_MASK + 4];
    size_t depth = 0, deepest = 0;
    (void)state;
    for (size_t i = 1; i < decoded.count; i++) {
        const struct truth_branch *b = &decoded.items[i];
        const uint64_t at = b->from - BASE;
        if (at == BUILTIN_CALL || at == BUILTIN_DEEP || at == BUILTIN_NESTS || at == BUILTIN_RECURSE_CALL) {
            assert_true(depth < sizeof(stack) / sizeof(stack[0]));
            stack[depth++] = b->from + (at == BUILTIN_CALL ? 3 : 5);
        } else if (at == BUILTIN_PLAIN || at == BUILTIN_IF_RET || at == BUILTIN_NESTS_RET ||
                   at == BUILTIN_RECURSE_RET) {
            assert_true(depth > 0);
            assert_int_equal(b->to, stack[--depth]);
        }
        deepest = depth > deepest ? depth : deepest;
    }
    assert_int_equal(depth, 0);
    assert_true(deepest > 1);
}

static void test_other_rounds(void **state)
{
    struct builtin_check check;
    (void)state;
    assert_true(builtin_compare(&check, &decoded, ROUNDS + 1));
    assert_true(check.differs || check.missing > 0);
}

static void test_hole(void **state)
{
    (void)state;
    lose(1000, 77);
    lose(3000, 5);
    const struct builtin_check check = compare();
    assert_false(check.differs);
    assert_int_equal(check.holes, 2);
    assert_int_equal(check.missing, 82);
    assert_int_equal(check.equal, check.expected - 82);
}

static void test_cut_at_both_ends(void **state)
{
    (void)state;
    lose(0, 3000);
    decoded.count -= 9;
    const struct builtin_check check = compare();
    assert_false(check.differs);
    assert_int_equal(check.missing, 3009);
    assert_int_equal(check.holes, 2);
}

static void test_wrong_branch(void **state)
{
    (void)state;
    decoded.items[2345].to += 2;
    const struct builtin_check check = compare();
    assert_false(check.differs);
    assert_int_equal(check.unplaced, 1);
    assert_int_equal(check.equal, check.expected - 1);
    assert_int_equal(check.wanted.from, decoded.items[2345].from);
    assert_int_equal(check.wanted.to + 2, check.first.to);
}

/* Two holes with few branches between them: after the second one the branches are placed again. */
static void test_two_holes_nearby(void **state)
{
    (void)state;
    lose(4000, 300);
    lose(4010, 300);
    const struct builtin_check check = compare();
    assert_false(check.differs);
    assert_true(check.unplaced <= 10);
    assert_true(check.equal >= check.expected - 610);
}

/* After the hole nothing agrees. */
static void test_another_guest(void **state)
{
    (void)state;
    for (size_t i = 3000; i < decoded.count; i++)
        decoded.items[i].to += 1;
    const struct builtin_check check = compare();
    assert_true(check.differs);
    assert_int_equal(check.equal, 3000);
}

static void test_too_many(void **state)
{
    (void)state;
    take(&decoded, BASE + BUILTIN_PLAIN, BASE + BUILTIN_CALL_NEXT);
    const struct builtin_check check = compare();
    assert_true(check.differs);
}

static void test_waits_at_its_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        take(&decoded, BASE + BUILTIN_IDLE, BASE + BUILTIN_IDLE_TO);
    const struct builtin_check check = compare();
    assert_whole(&check);
}

static void test_nothing(void **state)
{
    (void)state;
    decoded.count = 0;
    const struct builtin_check check = compare();
    assert_int_equal(check.equal, 0);
    assert_int_equal(check.missing, check.expected);
    assert_int_equal(check.holes, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_whole),
        TEST(test_calls_return),
        TEST(test_other_rounds),
        TEST(test_hole),
        TEST(test_cut_at_both_ends),
        TEST(test_wrong_branch),
        TEST(test_two_holes_nearby),
        TEST(test_another_guest),
        TEST(test_too_many),
        TEST(test_waits_at_its_end),
        TEST(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
