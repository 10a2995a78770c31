/* TASK records: which process a space belongs to, at an offset of each CPU's trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/names/tasks.h"

#define SPACE 0x10000ull
#define OTHER 0x20000ull
#define MAX_RECORDS 32u

static struct capture capture;
static struct capture_record records[MAX_RECORDS];
static struct record_task payloads[MAX_RECORDS];
static struct tasks tasks;

static int setup(void **state)
{
    (void)state;
    capture = (struct capture){.records = records};
    tasks = (struct tasks){0};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tasks_free(&tasks);
    return 0;
}

static struct capture_record *put(uint16_t cpu, uint16_t kind, uint64_t offset, uint64_t tsc)
{
    assert_true(capture.nr_records < MAX_RECORDS);
    records[capture.nr_records] = (struct capture_record){
        .header = {.kind = kind, .cpu = cpu, .length = sizeof(payloads[0]), .trace_offset = offset, .tsc = tsc},
        .payload = (const uint8_t *)&payloads[capture.nr_records]};
    return &records[capture.nr_records++];
}

static struct record_task *put_task(uint16_t cpu, uint64_t offset, uint64_t tsc, uint64_t cr3, uint32_t pid,
                                    uint32_t tgid, const char *comm)
{
    struct record_task *task = &payloads[capture.nr_records];
    *task = (struct record_task){.cr3 = cr3, .pid = pid, .tgid = tgid};
    memcpy(task->comm, comm, strlen(comm) < sizeof(task->comm) ? strlen(comm) : sizeof(task->comm));
    put(cpu, RECORD_TASK, offset, tsc);
    return task;
}

static void is(uint16_t cpu, uint64_t cr3, uint64_t at, const char *text)
{
    uint64_t end;
    const struct name_task *task = tasks_find_until(&tasks, cpu, cr3, at, &end);
    if (!text)
        assert_null(task);
    else if (!task || strcmp(task->text, text) != 0)
        fail_msg("CPU %u at %lu: is %s, should be %s", cpu, at, task ? task->text : "not known", text);
}

static void one_cpu(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE, 7, 7, "init");
    put_task(0, 200, 2000, OTHER, 8, 8, "init");
    put_task(0, 300, 3000, SPACE, 9, 9, "systemd-udevd");
    assert_true(tasks_collect(&tasks, &capture));
    assert_int_equal(tasks.nr_processes, 3);
    is(0, SPACE, 0, "init (7)"); /* before the first record, that record holds */
    is(0, SPACE, 100, "init (7)");
    is(0, SPACE + 5, 299, "init (7)"); /* a PCID */
    is(0, SPACE, 300, "systemd-udevd (9)");
    is(0, SPACE, UINT64_MAX, "systemd-udevd (9)");
    is(0, OTHER, 150, "init (8)");
    is(0, 0x30000, 150, NULL);
    is(7, SPACE, UINT64_MAX, "init (7)"); /* a CPU without records */
}

static void renamed(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE, 7, 7, "sh");
    put_task(0, 200, 2000, SPACE, 7, 7, "ls");
    assert_true(tasks_collect(&tasks, &capture));
    assert_int_equal(tasks.nr_processes, 1);
    is(0, SPACE, 199, "sh (7)");
    is(0, SPACE, 200, "ls (7)");
}

/* The name of a process is the name of its first thread. */
static void threads(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE, 7, 7, "firefox");
    put_task(0, 200, 2000, SPACE, 8, 7, "Socket Thread");
    put_task(0, 300, 3000, OTHER, 12, 11, "without leader");
    assert_true(tasks_collect(&tasks, &capture));
    assert_int_equal(tasks.nr_processes, 2);
    is(0, SPACE, 250, "firefox (7)");
    is(0, OTHER, 300, "without leader (11)");
    for (size_t i = 0; i < tasks.count; i++)
        if (tasks.seen[i].pid == 8)
            assert_string_equal(tasks.seen[i].comm, "Socket Thread");
}

static void ran(uint16_t cpu, uint64_t after, uint64_t at, const char *text)
{
    const struct name_thread *thread = tasks_last_thread(&tasks, cpu, after, at);
    if (!text)
        assert_null(thread);
    else if (!thread || strcmp(thread->text, text) != 0)
        fail_msg("CPU %u, %lu to %lu: is %s, should be %s", cpu, after, at, thread ? thread->text : "not known", text);
}

/* The thread of a CPU's last record in a range of offsets. */
static void threads_by_offset(void **state)
{
    (void)state;
    put_task(1, 100, 1000, SPACE, 7, 7, "firefox");
    put_task(0, 200, 2000, SPACE, 8, 7, "Socket Thread");
    put_task(1, 300, 3000, SPACE, 9, 7, "Compositor");
    put_task(1, 300, 3001, SPACE, 10, 7, "GC")->flags = RECORD_TASK_BORROWS;
    assert_true(tasks_collect(&tasks, &capture));
    ran(1, 0, 99, NULL);
    ran(1, 0, 100, "firefox (7)");
    ran(1, 100, 299, NULL);
    ran(1, 100, 300, "GC (10)");
    ran(1, 0, 299, "firefox (7)");
    ran(0, 0, 1000, "Socket Thread (8)");
    ran(0, 200, 1000, NULL);
    ran(2, 0, 1000, NULL);
    assert_string_equal(tasks_last_thread(&tasks, 0, 0, 200)->process->text, "firefox (7)");
}

/* Page table isolation: a process has the kernel's CR3 and the user's, which is one page higher. The last record under
 * either holds for both. */
static void isolated(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE + 0x1000, 7, 7, "sh");
    put_task(0, 200, 2000, SPACE, 7, 7, "sh");
    put_task(0, 300, 3000, SPACE + 0x1000, 8, 8, "ls");
    put_task(0, 400, 4000, OTHER + 0x1000, 9, 9, "cat");
    assert_true(tasks_collect(&tasks, &capture));
    is(0, SPACE, 299, "sh (7)");
    is(0, SPACE, 300, "ls (8)");
    is(0, SPACE + 0x1000, 300, "ls (8)");
    is(0, OTHER, 400, "cat (9)");
}

/* Without it they belong to two processes. */
static void neighbours(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE + 0x1000, 7, 7, "sh");
    put_task(0, 200, 2000, SPACE, 8, 8, "sh");
    put_task(0, 300, 3000, SPACE + 0x1000, 9, 9, "ls");
    assert_true(tasks_collect(&tasks, &capture));
    is(0, SPACE, 300, "sh (8)");
    is(0, SPACE + 0x1000, 300, "ls (9)");
}

/* The offset up to which an answer holds. */
static void until(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE, 7, 7, "sh");
    put(0, RECORD_DRAIN, 250, 1500);
    put_task(0, 300, 3000, SPACE, 8, 8, "ls");
    assert_true(tasks_collect(&tasks, &capture));
    uint64_t end;
    assert_string_equal(tasks_find_until(&tasks, 0, SPACE, 100, &end)->text, "sh (7)");
    assert_int_equal(end, 250);
    assert_string_equal(tasks_find_until(&tasks, 0, SPACE, 260, &end)->text, "sh (7)");
    assert_int_equal(end, 300);
    assert_string_equal(tasks_find_until(&tasks, 0, SPACE, 300, &end)->text, "ls (8)");
    assert_true(end == UINT64_MAX);
}

/* vfork: the space still belongs to the parent. */
static void borrowed(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE, 7, 7, "sh");
    put_task(0, 200, 2000, SPACE, 8, 8, "sh")->flags = RECORD_TASK_BORROWS;
    put_task(0, 300, 3000, OTHER, 9, 9, "x")->flags = RECORD_TASK_BORROWS;
    assert_true(tasks_collect(&tasks, &capture));
    is(0, SPACE, 250, "sh (7)");
    is(0, OTHER, 300, NULL);
}

/* A record of one CPU takes effect on another CPU at that CPU's first record with a later time. */
static void two_cpus(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE, 7, 7, "sh");
    put(1, RECORD_DRAIN, 5000, 1500);
    put_task(0, 200, 2000, SPACE, 9, 9, "ls");
    put(1, RECORD_LOG, 0, 2400); /* has no trace offset */
    put(1, RECORD_DRAIN, 7000, 2500);
    put_task(1, 9000, 3000, SPACE, 10, 10, "cat");
    assert_true(tasks_collect(&tasks, &capture));
    is(1, SPACE, 4999, "sh (7)");
    is(1, SPACE, 5000, "sh (7)");
    is(1, SPACE, 6999, "sh (7)");
    is(1, SPACE, 7000, "ls (9)");
    is(1, SPACE, 9000, "cat (10)");
    is(0, SPACE, UINT64_MAX, "ls (9)"); /* it has no later record */
}

static void damaged(void **state)
{
    (void)state;
    put_task(0, 100, 1000, SPACE, 7, 7, "0123456789abcdefg"); /* not terminated by a zero */
    put_task(0, 200, 2000, SPACE, 8, 8, "a\nb\x80\"");
    put_task(0, 300, 3000, SPACE, 9, 9, "cut off");
    records[2].header.length = 8;
    assert_true(tasks_collect(&tasks, &capture));
    assert_int_equal(tasks.count, 2);
    is(0, SPACE, 100, "0123456789abcdef (7)");
    is(0, SPACE, 300, "a?b?\" (8)");
}

static void none(void **state)
{
    (void)state;
    put(0, RECORD_DRAIN, 100, 1000);
    assert_true(tasks_collect(&tasks, &capture));
    is(0, SPACE, 100, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_cpu, setup, teardown),
        cmocka_unit_test_setup_teardown(renamed, setup, teardown),
        cmocka_unit_test_setup_teardown(threads, setup, teardown),
        cmocka_unit_test_setup_teardown(threads_by_offset, setup, teardown),
        cmocka_unit_test_setup_teardown(isolated, setup, teardown),
        cmocka_unit_test_setup_teardown(neighbours, setup, teardown),
        cmocka_unit_test_setup_teardown(until, setup, teardown),
        cmocka_unit_test_setup_teardown(borrowed, setup, teardown),
        cmocka_unit_test_setup_teardown(two_cpus, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(none, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
