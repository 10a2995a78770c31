#include "decode/names/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define CR3_TABLE 0x000ffffffffff000ull /* TASK records come only from 64-bit kernels */
#define CR3_USER 0x1000ull              /* Linux's page table isolation: in user mode CR3 is the kernel's plus a page */

bool task_read(struct task_seen *task, const struct capture_record *record)
{
    struct record_task raw;
    if (record->header.kind != RECORD_TASK || record->header.length < sizeof(raw))
        return false;
    memcpy(&raw, record->payload, sizeof(raw));
    *task = (struct task_seen){.space = raw.cr3 & CR3_TABLE,
                               .tsc = record->header.tsc,
                               .at = record->header.trace_offset,
                               .cpu = record->header.cpu,
                               .pid = raw.pid,
                               .tgid = raw.tgid,
                               .borrows = raw.flags & RECORD_TASK_BORROWS};
    for (size_t i = 0; i < sizeof(raw.comm) && raw.comm[i]; i++)
        task->comm[i] = (char)(raw.comm[i] >= ' ' && raw.comm[i] <= '~' ? raw.comm[i] : '?');
    return true;
}

static int compare_spaces(const void *left, const void *right)
{
    const struct task_seen *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return a->tsc < b->tsc ? -1 : a->tsc > b->tsc;
}

static int compare_cpus(const void *left, const void *right)
{
    const struct task_seen *a = *(const struct task_seen *const *)left, *b = *(const struct task_seen *const *)right;
    if (a->cpu != b->cpu)
        return a->cpu < b->cpu ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->tsc < b->tsc ? -1 : a->tsc > b->tsc;
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void name_processes(struct tasks *tasks)
{
    const struct task_seen *leader = NULL;
    for (size_t i = 0; i < tasks->count; i++) {
        struct task_seen *task = &tasks->seen[i];
        if (task->pid == task->tgid && !task->borrows)
            leader = task;
        const bool is_led = leader && leader->space == task->space && leader->pid == task->tgid;
        task->process.pid = task->tgid;
        memcpy(task->process.comm, is_led ? leader->comm : task->comm, sizeof(task->comm));
        snprintf(task->process.text, sizeof(task->process.text), "%s (%" PRIu32 ")", task->process.comm, task->tgid);
        task->thread.tid = task->pid;
        memcpy(task->thread.comm, task->comm, sizeof(task->comm));
        snprintf(task->thread.text, sizeof(task->thread.text), "%s (%" PRIu32 ")", task->comm, task->pid);
        task->thread.process = &task->process;
    }
}

static bool sort_by_cpu(struct tasks *tasks)
{
    tasks->by_cpu = malloc((tasks->count + 1) * sizeof(struct task_seen *));
    for (size_t i = 0; i < tasks->count && tasks->by_cpu; i++)
        tasks->by_cpu[i] = &tasks->seen[i];
    if (tasks->by_cpu && tasks->count)
        qsort(tasks->by_cpu, tasks->count, sizeof(struct task_seen *), compare_cpus);
    return tasks->by_cpu;
}

/* Does the space have a record of this process? */
static bool has_record(const struct tasks *tasks, uint64_t space, uint32_t tgid)
{
    size_t low = 0, high = tasks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tasks->seen[middle].space < space)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < tasks->count && tasks->seen[low].space == space && tasks->seen[low].tgid != tgid)
        low++;
    return low < tasks->count && tasks->seen[low].space == space;
}

/* With page table isolation, a process with a record under the kernel's CR3 (a fault of the kernel in user memory) also
 * has one under the user's CR3. Without it, a record under CR3 plus one page is a coincidence. */
static bool is_isolated(const struct tasks *tasks)
{
    size_t paired = 0, all = 0;
    for (size_t i = 0; i < tasks->count; i++) {
        const struct task_seen *task = &tasks->seen[i];
        if (task->space & CR3_USER)
            continue;
        all++;
        paired += has_record(tasks, task->space | CR3_USER, task->tgid);
    }
    return 2 * paired > all;
}

/* With page table isolation both CR3s of a process count as one space. */
static void sort_spaces(struct tasks *tasks)
{
    tasks->mask = CR3_TABLE;
    if (tasks->count == 0)
        return;
    qsort(tasks->seen, tasks->count, sizeof(*tasks->seen), compare_spaces);
    if (!is_isolated(tasks))
        return;
    tasks->mask &= ~CR3_USER;
    for (size_t i = 0; i < tasks->count; i++)
        tasks->seen[i].space &= tasks->mask;
    qsort(tasks->seen, tasks->count, sizeof(*tasks->seen), compare_spaces);
}

static bool count_processes(struct tasks *tasks)
{
    uint32_t *numbers = malloc((tasks->count + 1) * sizeof(*numbers));
    for (size_t i = 0; i < tasks->count && numbers; i++)
        numbers[i] = tasks->seen[i].tgid;
    if (numbers && tasks->count)
        qsort(numbers, tasks->count, sizeof(*numbers), compare_numbers);
    for (size_t i = 0; i < tasks->count && numbers; i++)
        tasks->nr_processes += i == 0 || numbers[i] != numbers[i - 1];
    const bool good = numbers;
    free(numbers);
    return good;
}

/* Records whose trace offset is the CPU's at the record's time. */
static bool is_step(const struct record_header *header)
{
    return header->kind == RECORD_PAGE || header->kind == RECORD_MAP || header->kind == RECORD_SEEN ||
           header->kind == RECORD_DRAIN || header->kind == RECORD_TASK;
}

static bool collect_clocks(struct tasks *tasks, const struct capture *capture)
{
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct record_header *header = &capture->records[i].header;
        if (is_step(header) && header->cpu < CAPTURE_MAX_CPUS)
            tasks->clocks[header->cpu].count++;
    }
    for (size_t cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++) {
        struct task_clock *clock = &tasks->clocks[cpu];
        if (clock->count && !(clock->steps = malloc(clock->count * sizeof(*clock->steps))))
            return false;
        clock->count = 0;
    }
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct record_header *header = &capture->records[i].header;
        if (!is_step(header) || header->cpu >= CAPTURE_MAX_CPUS)
            continue;
        struct task_clock *clock = &tasks->clocks[header->cpu];
        const struct task_step *last = clock->count ? &clock->steps[clock->count - 1] : NULL;
        if (!last || (header->trace_offset >= last->offset && header->tsc >= last->tsc))
            clock->steps[clock->count++] = (struct task_step){header->trace_offset, header->tsc};
    }
    return true;
}

bool tasks_collect(struct tasks *tasks, const struct capture *capture)
{
    size_t count = 0;
    *tasks = (struct tasks){0};
    for (size_t i = 0; i < capture->nr_records; i++)
        count += capture->records[i].header.kind == RECORD_TASK;
    if (count == 0)
        return true;
    tasks->seen = malloc(count * sizeof(*tasks->seen));
    for (size_t i = 0; i < capture->nr_records && tasks->seen; i++)
        tasks->count += task_read(&tasks->seen[tasks->count], &capture->records[i]);
    sort_spaces(tasks);
    name_processes(tasks);
    if (tasks->seen && sort_by_cpu(tasks) && count_processes(tasks) && collect_clocks(tasks, capture))
        return true;
    tasks_free(tasks);
    return false;
}

void tasks_free(struct tasks *tasks)
{
    for (size_t cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        free(tasks->clocks[cpu].steps);
    free(tasks->by_cpu);
    free(tasks->seen);
    *tasks = (struct tasks){0};
}

/* The time of the CPU's last record up to the offset. It separates the CPU's own TASK records before the offset from
 * those after it. *until: the offset of the next record. */
static uint64_t time_at(const struct task_clock *clock, uint64_t at, uint64_t *until)
{
    const size_t after = LIST_AFTER(clock->steps, clock->count, struct task_step, offset, at);
    *until = after < clock->count ? clock->steps[after].offset : UINT64_MAX;
    return after > 0 ? clock->steps[after - 1].tsc : 0;
}

const struct name_task *tasks_find_until(const struct tasks *tasks, uint16_t cpu, uint64_t cr3, uint64_t at,
                                         uint64_t *until)
{
    *until = UINT64_MAX;
    const struct task_seen wanted = {.space = cr3 & tasks->mask,
                                     .tsc = cpu < CAPTURE_MAX_CPUS ? time_at(&tasks->clocks[cpu], at, until) : 0};
    size_t low = 0, high = tasks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_spaces(&tasks->seen[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i-- > 0 && tasks->seen[i].space == wanted.space;)
        if (!tasks->seen[i].borrows)
            return &tasks->seen[i].process;
    for (size_t i = low; i < tasks->count && tasks->seen[i].space == wanted.space; i++)
        if (!tasks->seen[i].borrows)
            return &tasks->seen[i].process;
    return NULL;
}

const struct name_thread *tasks_last_thread(const struct tasks *tasks, uint16_t cpu, uint64_t after, uint64_t at)
{
    size_t low = 0, high = tasks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct task_seen *task = tasks->by_cpu[middle];
        if (task->cpu < cpu || (task->cpu == cpu && task->at <= at))
            low = middle + 1;
        else
            high = middle;
    }
    const struct task_seen *last = low > 0 ? tasks->by_cpu[low - 1] : NULL;
    return last && last->cpu == cpu && last->at > after ? &last->thread : NULL;
}
