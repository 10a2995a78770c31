/* The calls of two boots, aligned: written as text, "a(b c(d))", with "!"
 * before an interrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/align/align.h"

#define LETTERS 128u

static struct name made_names[LETTERS];
static char letters[LETTERS][2];

struct script {
    struct boot_calls boot;
    struct open_task tasks[4];
    struct open_call calls[4][64];
    uint64_t tsc;
};

static struct call_trees trees;

static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LETTERS; i++) {
        letters[i][0] = (char)i;
        made_names[i] =
            (struct name){.symbol = letters[i], .shown = letters[i], .object = "o", .begin = i, .number = i};
    }
    return call_trees_init(&trees) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    call_trees_free(&trees);
    return 0;
}

/* Run one task as the text says. Each event takes 10 ticks. */
static void run_task(struct script *script, unsigned number, const char *text)
{
    const struct open_hooks hooks = boot_calls_hooks(&script->boot);
    struct open_task *task = &script->tasks[number];
    task->number = number + 1;
    task->space = UINT64_MAX;
    task->calls = script->calls[number];
    bool interrupt = false, open = false; /* open: the last call has no list of
                                             callees, and returns next */
    for (; *text; text++) {
        if (*text == '!') {
            interrupt = true;
            continue;
        }
        if (*text == '(') {
            open = false;
            continue;
        }
        if (open || *text == ')') { /* the innermost call returns */
            if (open && *text == ')') {
                hooks.returns(hooks.context, task, script->tsc += 10);
                task->depth--;
            }
            hooks.returns(hooks.context, task, script->tsc += 10);
            task->depth--;
            open = false;
        }
        if (*text == ')')
            continue;
        task->calls[task->depth++] =
            (struct open_call){.name = &made_names[(unsigned)*text], .entry = interrupt ? STACK_INTERRUPT : STACK_CALL};
        hooks.begins(hooks.context, task, script->tsc += 10);
        interrupt = false;
        open = true;
    }
    hooks.leaves(hooks.context, task, script->tsc += 10);
}

static void run_boot(struct script *script, const char *const *texts)
{
    *script = (struct script){.boot = {.trees = &trees}};
    for (unsigned i = 0; texts[i]; i++)
        run_task(script, i, texts[i]);
    boot_calls_end(&script->boot);
    assert_false(script->boot.no_memory || trees.no_memory);
}

static char function_of(uint32_t number)
{
    return number == ALIGN_NO_FUNCTION ? '.' : trees.functions[number].symbol[0];
}

/* "-b2/a" for each: side, function, count, caller; a dot: none. */
static const char *extras_of(const struct align_pair *pair)
{
    static char text[256];
    text[0] = '\0';
    for (size_t i = 0; i < pair->nr_extras; i++) {
        const struct align_extra *extra = &pair->extras[i];
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%c%c%lu/%c", i ? " " : "",
                 extra->side ? '+' : '-', function_of(extra->function), extra->count, function_of(extra->caller));
    }
    return text;
}

/* "ab:c|d": the stack, and what each calls next. */
static const char *point_of(const struct align_pair *pair)
{
    static char text[64];
    size_t length = 0;
    for (size_t i = 0; i < pair->point.depth; i++)
        text[length++] = function_of(pair->point.stack[i]);
    snprintf(text + length, sizeof(text) - length, ":%c|%c", function_of(pair->point.next[0]),
             function_of(pair->point.next[1]));
    return text;
}

static struct script one, other;

static void align(struct alignment *alignment, const char *const *a, const char *const *b)
{
    run_boot(&one, a);
    run_boot(&other, b);
    assert_true(align_boots(alignment, &one.boot, &other.boot));
}

static void done(struct alignment *alignment)
{
    alignment_free(alignment);
    boot_calls_free(&one.boot);
    boot_calls_free(&other.boot);
}

/* One task in each boot. */
static void differs(const char *a, const char *b, const char *extras, const char *point)
{
    struct alignment alignment;
    align(&alignment, (const char *[]){a, NULL}, (const char *[]){b, NULL});
    assert_int_equal(alignment.count, 1);
    assert_int_equal(alignment.pairs[0].differs, *extras != '\0');
    assert_string_equal(extras_of(&alignment.pairs[0]), extras);
    if (*extras)
        assert_string_equal(point_of(&alignment.pairs[0]), point);
    done(&alignment);
}

static void are_equal(void **state)
{
    (void)state;
    differs("a(b c(d))", "a(b c(d))", "", "");
    differs("a(bbbcbbb)", "a(bbbcbbb)", "", "");
}

static void ones_have_more(void **state)
{
    (void)state;
    differs("a(bc)", "a(bdc)", "+d1/a", "a:c|d");
    differs("a(bdc)", "a(bc)", "-d1/a", "a:d|c");
    differs("a(bc)", "a(bcd)", "+d1/a", "a:.|d");
    differs("a(b(xy)c(z))", "a(b(x)c(zw))", "-y1/b +w1/c", "ab:y|.");
    differs("a(bbbb)", "a(bbbbbb)", "+b2/a", "a:.|b");
    differs("a(c)", "a(b(cc)c)", "+b1/a", "a:c|b");
}

/* Of several calls of one function, those that are alike are aligned: the
 * driver in the middle is the new one. */
static void ones_are_alike(void **state)
{
    (void)state;
    differs("a(i(p(xy))i(q(z))i(r))", "a(i(p(xx))i(m(nn))i(q(zz))i(r))", "+i1/a +x1/p -y1/p +z1/q", "aip:y|x");
}

/* Where an interrupt comes makes no difference, whatever it does. */
static void are_interrupted(void **state)
{
    struct alignment alignment;
    (void)state;
    differs("a(b!t(kk)c)", "a(!t(k)b!t(kkl)c)", "", "");
    align(&alignment, (const char *[]){"a(b!t(kk)c)", NULL}, (const char *[]){"a(!t(k)b!t(kkl)c)", NULL});
    assert_int_equal(one.boot.nr_interrupts, 1);
    assert_int_equal(one.boot.interrupts[0].count, 1);
    assert_int_equal(one.boot.interrupts[0].calls, 3);
    assert_int_equal(other.boot.interrupts[0].count, 2);
    assert_int_equal(other.boot.interrupts[0].calls, 6);
    assert_int_equal(one.boot.calls, 3);
    done(&alignment);
}

/* Tasks are paired by what they do, and by name; without a partner they ran in
 * one boot only. */
static void are_of_tasks(void **state)
{
    struct alignment alignment;
    (void)state;
    align(&alignment, (const char *[]){"a(b)", "k(x)", "k(y)", NULL},
          (const char *[]){"a(b)", "k(zzz)", "k(x)", "k(yw)", NULL});
    assert_int_equal(alignment.count, 4);
    assert_false(alignment.pairs[0].differs);
    assert_false(alignment.pairs[1].differs);
    assert_ptr_equal(alignment.pairs[1].tasks[1], &other.boot.tasks[2]);
    assert_string_equal(extras_of(&alignment.pairs[2]), "+w1/k");
    assert_ptr_equal(alignment.pairs[2].tasks[1], &other.boot.tasks[3]);
    assert_null(alignment.pairs[3].tasks[0]);
    assert_ptr_equal(alignment.pairs[3].tasks[1], &other.boot.tasks[1]);
    assert_true(alignment.pairs[3].differs);
    done(&alignment);
}

static void have_times(void **state)
{
    struct alignment alignment;
    (void)state;
    align(&alignment, (const char *[]){"a(b!tc(x))", NULL}, (const char *[]){"a(b!tc(xd(y)))", NULL});
    const struct align_pair *pair = &alignment.pairs[0];
    assert_string_equal(extras_of(pair), "+d1/c");
    /* a 10, b 20, t 30 to 40, b returns at 50, c 60, x 70 to 80, d 90, y 100 to
     * 110, d returns at 120. */
    assert_int_equal(pair->extras[0].first, 90);
    assert_int_equal(pair->extras[0].ticks, 30);
    assert_int_equal(pair->extras[0].calls, 2);
    assert_int_equal(pair->point.tsc[1], 90);
    assert_int_equal(pair->point.tsc[0], 90); /* c returns */
    assert_int_equal(pair->point.equal, 4);
    done(&alignment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(are_equal, setup, teardown),
        cmocka_unit_test_setup_teardown(ones_have_more, setup, teardown),
        cmocka_unit_test_setup_teardown(ones_are_alike, setup, teardown),
        cmocka_unit_test_setup_teardown(are_interrupted, setup, teardown),
        cmocka_unit_test_setup_teardown(are_of_tasks, setup, teardown),
        cmocka_unit_test_setup_teardown(have_times, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
