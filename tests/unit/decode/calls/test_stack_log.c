/* The stacks of a part of a trace, at any of its moments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/calls/stack_log.h"

#define STRETCH 1000u

static struct stack_frame frames[8];
static struct stack_task task = {.number = 7, .space = 0x1000, .frames = frames};

static void note(struct stack_log *log, uint64_t stretch, uint64_t taken)
{
    stack_log_note(log, &task, (struct stacks_moment){stretch, taken});
}

static void push(uint64_t site)
{
    frames[task.depth++] = (struct stack_frame){.site = site, .to = site + 0x100, .entry = STACK_CALL};
}

/* The sites of a moment's frames are these, the innermost first; 0 ends the list. */
static void has(const struct stack_log *log, uint64_t stretch, uint64_t taken, const uint64_t *sites)
{
    const struct stack_log_entry *entry = stack_log_at(log, (struct stacks_moment){stretch, taken});
    assert_non_null(entry);
    uint32_t frame = entry->top;
    uint32_t depth = log->frames[frame].depth;
    for (; *sites; sites++, frame = log->frames[frame].below, depth--) {
        assert_int_equal(log->frames[frame].site, *sites);
        assert_int_equal(log->frames[frame].depth, depth);
    }
    assert_int_equal(frame, 0);
}
#define HAS(log, stretch, taken, ...) has(log, stretch, taken, (const uint64_t[]){__VA_ARGS__})

static void test_moments(void **state)
{
    struct stack_log log = {.from = STRETCH, .to = 3 * STRETCH};
    (void)state;
    task.depth = 0;
    push(1);
    note(&log, STRETCH - 1, 1); /* not in this part */
    assert_null(stack_log_at(&log, (struct stacks_moment){STRETCH, 5}));
    push(2);
    note(&log, STRETCH, 3);
    note(&log, STRETCH, 4); /* a jump */
    push(3);
    note(&log, STRETCH, 5);
    task.depth = 1;
    push(4); /* two returns and a call */
    note(&log, STRETCH, 6);
    task.depth = 1;
    note(&log, 2 * STRETCH, 1);
    assert_null(stack_log_at(&log, (struct stacks_moment){STRETCH, 2}));
    HAS(&log, STRETCH, 3, 2, 1, 0);
    HAS(&log, STRETCH, 4, 2, 1, 0);
    HAS(&log, STRETCH, 5, 3, 2, 1, 0);
    HAS(&log, STRETCH, 6, 4, 1, 0);
    HAS(&log, 2 * STRETCH, 0, 4, 1, 0); /* nothing was called before it */
    HAS(&log, 2 * STRETCH, 1, 1, 0);
    note(&log, 3 * STRETCH, 1); /* not in this part */
    assert_int_equal(log.nr_entries, 4);
    assert_int_equal(log.nr_frames, 1 + 4); /* the shared ones once */
    stack_log_free(&log);
}

static void test_tasks(void **state)
{
    struct stack_log log = {.to = UINT64_MAX};
    (void)state;
    task.depth = 0;
    push(1);
    push(2);
    note(&log, 0, 1);
    stack_log_note(&log, NULL, (struct stacks_moment){0, 2});
    task.number = 8; /* with the same frames */
    note(&log, 0, 3);
    task.depth = 1;
    stack_log_note(&log, &task, (struct stacks_moment){0, 3}); /* the same moment again: what holds */
    HAS(&log, 0, 1, 2, 1, 0);
    HAS(&log, 0, 2, 0);
    HAS(&log, 0, 3, 1, 0);
    assert_int_equal(log.tasks[stack_log_at(&log, (struct stacks_moment){0, 1})->task].number, 7);
    assert_int_equal(log.tasks[stack_log_at(&log, (struct stacks_moment){0, 3})->task].number, 8);
    stack_log_free(&log);
    task.number = 7;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moments), cmocka_unit_test(test_tasks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
