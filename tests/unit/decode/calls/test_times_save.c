/* Times that are saved and loaded give the events that follow the same times, to a listener of a window and to one that
 * takes what came before. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/calls/times_save.h"

static const char map[] = "ffffffff81000000 T outer\n"
                          "ffffffff81001000 T inner\n"
                          "ffffffff81002000 T default_idle\n"
                          "ffffffff81003000 T irq\n"
                          "ffffffff81004000 T end\n";
#define FUNCTION(n) (0xffffffff81000000ull + (n)*0x1000)
enum { OUTER, INNER, IDLE, IRQ };

/* A pass: tasks as the stacks have them, and what a listener heard on each of two CPUs. */
struct pass {
    struct times *times;
    struct stack_hooks cpus[2];
    struct stack_task tasks[2];
    struct stack_frame frames[2][8];
    struct heard {
        struct pass *pass;
        unsigned cpu;
    } heard[2];
    char log[4096];
};

static struct names *names;
static struct code_pages pages;
static const struct code_pages *const page_list[] = {&pages};
static const struct names_pages names_pages = {page_list, 1};

static void say(struct heard *heard, char what, const struct stack_task *task, uint64_t number, uint64_t tsc)
{
    char *log = heard->pass->log;
    const size_t used = strlen(log);
    const char *symbol = task && task->depth ? task->frames[task->depth - 1].name->symbol : "";
    snprintf(log + used, sizeof(heard->pass->log) - used, "%u%c%u%s %" PRIu64 " %" PRIu64 "\n", heard->cpu, what,
             task ? task->number : 0, symbol, number, tsc);
}

static void on_enter(void *context, struct stack_task *task, uint64_t tsc)
{
    say(context, '+', task, task->frames[task->depth - 1].site, tsc);
}

static void on_leave(void *context, struct stack_task *task, uint64_t tsc)
{
    say(context, '-', task, task->depth, tsc);
}

static void on_spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    say(context, '.', task, branches, tsc);
}

static void on_run(void *context, struct stack_task *task, uint64_t tsc)
{
    say(context, '|', task, 0, tsc);
}

static void on_lost(void *context, uint64_t tsc)
{
    say(context, '?', NULL, 0, tsc);
}

static void open_pass(struct pass *pass, struct times_window window)
{
    memset(pass, 0, sizeof(*pass));
    pass->times = times_open(window);
    assert_non_null(pass->times);
    for (unsigned i = 0; i < 2; i++) {
        pass->heard[i] = (struct heard){pass, i};
        const struct stack_hooks hooks = {on_enter,        on_leave, on_spend, on_run, on_lost,
                                          &pass->heard[i], NULL,     NULL,     NULL};
        pass->cpus[i] = times_hooks(pass->times, &hooks);
        pass->tasks[i] = (struct stack_task){
            .number = i + 1, .space = i ? 0x1000 : FLOW_CR3_UNKNOWN, .pages = &pages, .frames = pass->frames[i]};
    }
}

static void enter(struct pass *pass, unsigned cpu, unsigned task, unsigned function, uint64_t tsc)
{
    struct stack_task *of = &pass->tasks[task];
    of->frames[of->depth] =
        (struct stack_frame){.name = names_find(names, &pages, FLOW_CR3_UNKNOWN, 0, FUNCTION(function)),
                             .site = of->depth > 0 ? FUNCTION(function) - 0x800 : 0,
                             .to = FUNCTION(function),
                             .entry = function == IRQ ? STACK_INTERRUPT : STACK_CALL};
    of->depth++;
    of->at += 8;
    pass->cpus[cpu].enter(pass->cpus[cpu].context, of, tsc);
}

static void leave(struct pass *pass, unsigned cpu, unsigned task, uint64_t tsc)
{
    pass->cpus[cpu].leave(pass->cpus[cpu].context, &pass->tasks[task], tsc);
    pass->tasks[task].depth--;
}

static void spend(struct pass *pass, unsigned cpu, unsigned task, uint64_t branches, uint64_t tsc)
{
    pass->cpus[cpu].spend(pass->cpus[cpu].context, &pass->tasks[task], branches, tsc);
}

/* CPU 0 runs task 1 and has events whose time is not known yet; CPU 1 halts in task 2. */
static void before(struct pass *pass)
{
    pass->cpus[0].run(pass->cpus[0].context, &pass->tasks[0], 1000);
    enter(pass, 0, 0, OUTER, 1000);
    spend(pass, 0, 0, 100, 2000);
    enter(pass, 0, 0, INNER, 2000);
    spend(pass, 0, 0, 50, 2500);
    pass->cpus[1].run(pass->cpus[1].context, &pass->tasks[1], 1500);
    enter(pass, 1, 1, OUTER, 1500);
    spend(pass, 1, 1, 10, 1600);
    enter(pass, 1, 1, IDLE, 1600);
    spend(pass, 1, 1, 30, 2600);
    spend(pass, 0, 0, 7, 2500);
    leave(pass, 0, 0, 2500);
    spend(pass, 0, 0, 3, 2500);
    enter(pass, 0, 0, INNER, 2500);
}

/* CPU 1 wakes up, and its halt takes what its pace leaves; task 1 moves to CPU 1 and returns; CPU 0 has a gap. */
static void after(struct pass *pass)
{
    spend(pass, 0, 0, 13, 3000);
    spend(pass, 1, 1, 2, 2600);
    enter(pass, 1, 1, IRQ, 2600);
    spend(pass, 1, 1, 5, 9000);
    leave(pass, 1, 1, 9000);
    pass->cpus[0].run(pass->cpus[0].context, NULL, 3000);
    pass->cpus[1].run(pass->cpus[1].context, &pass->tasks[0], 9100);
    spend(pass, 1, 0, 20, 9500);
    leave(pass, 1, 0, 9500);
    leave(pass, 1, 0, 9500);
    pass->cpus[0].lost(pass->cpus[0].context, 9600);
    spend(pass, 1, 0, 1, 9900);
    assert_true(times_end(pass->times));
}

/* As stacks do after loading: tasks are those of the first pass, with the loaded state of the second. */
static void load(struct pass *pass, const struct pass *from, const struct pack *pack)
{
    struct packed packed = {.at = pack->bytes, .end = pack->bytes + pack->size};
    assert_true(times_load(pass->times, names, &names_pages, &packed));
    assert_ptr_equal(packed.at, packed.end);
    for (unsigned i = 0; i < 2; i++) {
        memcpy(pass->frames[i], from->frames[i], sizeof(pass->frames[i]));
        pass->tasks[i] = from->tasks[i];
        pass->tasks[i].frames = pass->frames[i];
        pass->tasks[i].user = times_user_of(pass->times, i + 1);
        assert_true(pass->tasks[i].user != 0);
    }
}

static void a_window_is_the_same(void **state)
{
    static struct pass whole, part;
    struct pack pack = {0};
    (void)state;
    open_pass(&whole, (struct times_window){.from = 2700, .to = 9800});
    before(&whole);
    assert_string_equal(whole.log, "");
    assert_int_equal(times_held(whole.times), 2);
    assert_int_equal(times_latest(whole.times), 2600);
    times_save(whole.times, names, &names_pages, &pack);
    assert_false(pack.no_memory);
    open_pass(&part, (struct times_window){.from = 2700, .to = 9800});
    load(&part, &whole, &pack);
    after(&whole);
    after(&part);
    assert_non_null(strstr(whole.log, "1+2irq ")); /* what follows is not trivial */
    assert_non_null(strstr(whole.log, "0?0 "));
    assert_string_equal(part.log, whole.log);
    times_close(whole.times);
    times_close(part.times);
    pack_free(&pack);
}

static void note_known(void *context, const struct times_known *known)
{
    char *text = context;
    const size_t used = strlen(text);
    const struct heard *cpu = known->cpu;
    snprintf(text + used, 256 - used, "task %u on %u %s since %" PRIu64 " clock %" PRIu64, known->task->number,
             cpu->cpu, known->runs ? "runs" : "waits", known->since, known->clock);
    for (size_t i = 0; i < known->task->depth; i++)
        snprintf(text + strlen(text), 256 - strlen(text), ", %s %" PRIu64 " %" PRIu64,
                 known->task->frames[i].name->symbol, known->calls[i].begin, known->calls[i].clock);
    strcat(text, "\n");
}

static void note_cpu(void *context, void *cpu, uint64_t tsc, bool lost)
{
    const struct heard *heard = cpu;
    ((uint64_t *)context)[heard->cpu] = tsc;
    assert_false(lost);
}

/* A listener of the whole trace takes what came before, and hears the rest. */
static void what_came_before_is_known(void **state)
{
    static struct pass whole, part;
    struct pack pack = {0};
    char known[256] = "";
    uint64_t latest[2], first, last;
    (void)state;
    open_pass(&whole, TIMES_ALL);
    before(&whole);
    times_save(whole.times, names, &names_pages, &pack);
    const size_t heard = strlen(whole.log);
    open_pass(&part, TIMES_ALL);
    load(&part, &whole, &pack);
    times_span(part.times, &first, &last);
    assert_int_equal(first, 1000);
    assert_int_equal(last, 2600);
    times_each_cpu(part.times, note_cpu, latest);
    assert_int_equal(latest[0], 2500);
    assert_int_equal(latest[1], 2600);
    assert_true(times_each_known(part.times, note_known, known));
    assert_string_equal(known, "task 1 on 0 runs since 1000 clock 1500, outer 1000 0, inner 2000 1000\n"
                               "task 2 on 1 runs since 1500 clock 1100, outer 1500 0, default_idle 1600 100\n");
    after(&whole);
    after(&part);
    assert_string_equal(part.log, whole.log + heard);
    times_close(whole.times);
    times_close(part.times);
    pack_free(&pack);
}

/* Cut anywhere, or with any byte changed, they are bad or are times. */
static void bad_bytes_do_no_harm(void **state)
{
    static struct pass whole, part;
    struct pack pack = {0};
    (void)state;
    open_pass(&whole, TIMES_ALL);
    before(&whole);
    times_save(whole.times, names, &names_pages, &pack);
    for (size_t i = 0; i < pack.size; i++) {
        struct packed packed = {.at = pack.bytes, .end = pack.bytes + i};
        open_pass(&part, TIMES_ALL);
        assert_false(times_load(part.times, names, &names_pages, &packed));
        times_close(part.times);
        const uint8_t byte = pack.bytes[i];
        pack.bytes[i] = (uint8_t)(byte * 7 + 13);
        packed = (struct packed){.at = pack.bytes, .end = pack.bytes + pack.size};
        open_pass(&part, TIMES_ALL);
        if (times_load(part.times, names, &names_pages, &packed))
            times_end(part.times);
        times_close(part.times);
        pack.bytes[i] = byte;
    }
    times_close(whole.times);
    pack_free(&pack);
}

static int set_up(void **state)
{
    char file_name[] = "/tmp/undertrace-times-XXXXXX";
    const int file = mkstemp(file_name);
    const struct capture capture = {0};
    const struct names_options options = {.symbols = file_name};
    struct error error = {0};
    (void)state;
    assert_int_equal(write(file, map, sizeof(map) - 1), sizeof(map) - 1);
    close(file);
    names = names_open(&capture, &options, &error);
    unlink(file_name);
    return names ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    names_close(names);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_window_is_the_same),
                                       cmocka_unit_test(what_came_before_is_known),
                                       cmocka_unit_test(bad_bytes_do_no_harm)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
