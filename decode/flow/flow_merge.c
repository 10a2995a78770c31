#include "decode/flow/flow_merge.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode/flow/flow_merge_cpu.h"

#define MAX_THREADS 64u

struct merge {
    struct merge_cpu *cpus;
    unsigned nr_cpus;
    size_t depth; /* stretches of a CPU that may be on their way */
    struct flow_merged *merged;
    const struct flow_merge_options *options;
    pthread_mutex_t lock; /* of the CPUs */
    pthread_cond_t work;  /* there is something to decode or to format, or there will be nothing any more */
    pthread_cond_t ready; /* a stretch is ready for the list */
    bool stop;
};

/* Text first: the list waits for it. false: there is nothing to do now. With the lock, which it gives up meanwhile. */
static bool format_one(struct merge *merge)
{
    for (unsigned i = 0; i < merge->nr_cpus; i++) {
        struct merge_stretch *stretch = merge_cpu_take_decoded(&merge->cpus[i]);
        if (!stretch)
            continue;
        pthread_mutex_unlock(&merge->lock);
        merge_stretch_format(stretch, merge->cpus[i].cpu, merge->options);
        pthread_mutex_lock(&merge->lock);
        stretch->state = MERGE_READY;
        pthread_cond_signal(&merge->ready);
        return true;
    }
    return false;
}

/* Of the CPU that has the least on its way. NULL: nothing can be taken. */
static struct merge_seat *take_one(struct merge *merge, struct merge_cpu **cpu)
{
    for (size_t queued = 0; queued < merge->depth; queued++)
        for (unsigned i = 0; i < merge->nr_cpus; i++) {
            *cpu = &merge->cpus[i];
            struct merge_seat *seat = (*cpu)->taken - (*cpu)->next == queued ? merge_cpu_take(*cpu) : NULL;
            if (seat)
                return seat;
        }
    return NULL;
}

static bool decode_one(struct merge *merge)
{
    struct merge_cpu *cpu;
    struct merge_seat *seat = take_one(merge, &cpu);
    if (!seat)
        return false;
    pthread_mutex_unlock(&merge->lock);
    merge_stretch_decode(seat);
    pthread_mutex_lock(&merge->lock);
    merge->merged->errors[cpu->cpu] += (seat->stretch->result.error != FLOW_OK) + seat->stretch->result.loops;
    merge_cpu_put(cpu, seat);
    pthread_cond_broadcast(&merge->work);
    return true;
}

static void *run_worker(void *context)
{
    struct merge *merge = context;
    pthread_mutex_lock(&merge->lock);
    while (!merge->stop)
        if (!format_one(merge) && !decode_one(merge)) {
            pthread_cond_signal(&merge->ready); /* a trace may have come to its end */
            pthread_cond_wait(&merge->work, &merge->lock);
        }
    pthread_mutex_unlock(&merge->lock);
    return NULL;
}

/* The first stretch of the CPU that has branches, when it is ready; NULL: there is none any more. With the lock. */
static struct merge_stretch *await_head(struct merge *merge, struct merge_cpu *cpu)
{
    struct merge_stretch *head;
    while (!merge_cpu_is_empty(cpu)) {
        head = merge_cpu_head(cpu);
        if (head && (head->nr_runs > 0 || head->no_memory))
            return head;
        if (head) {
            merge_cpu_drop(cpu);
            pthread_cond_broadcast(&merge->work);
        } else {
            pthread_cond_wait(&merge->ready, &merge->lock);
        }
    }
    return NULL;
}

/* The CPU has a head again, if there is one. false: no memory. */
static bool refill(struct merge *merge, struct merge_cpu *cpu)
{
    pthread_mutex_lock(&merge->lock);
    if (cpu->head) {
        merge_cpu_drop(cpu);
        pthread_cond_broadcast(&merge->work);
    }
    cpu->head = await_head(merge, cpu);
    pthread_mutex_unlock(&merge->lock);
    return !cpu->head || !cpu->head->no_memory;
}

static uint64_t next_tsc(const struct merge_cpu *cpu)
{
    return cpu->head->runs[cpu->head->run].tsc;
}

/* The CPU whose next branch is the earliest. NULL: there are no more. *until: the next time of any other one. */
static struct merge_cpu *earliest(struct merge *merge, uint64_t *until)
{
    struct merge_cpu *first = NULL;
    *until = UINT64_MAX;
    for (unsigned i = 0; i < merge->nr_cpus; i++) {
        struct merge_cpu *cpu = &merge->cpus[i];
        if (!cpu->head)
            continue;
        const uint64_t tsc = next_tsc(cpu);
        if (!first || tsc < next_tsc(first)) {
            if (first)
                *until = next_tsc(first);
            first = cpu;
        } else if (tsc < *until) {
            *until = tsc;
        }
    }
    return first;
}

/* What the CPU has up to that time. */
static void write_runs(struct merge *merge, const struct merge_cpu *cpu, uint64_t until)
{
    struct merge_stretch *head = cpu->head;
    const size_t begin = head->run > 0 ? head->runs[head->run - 1].text_end : 0;
    size_t end = begin;
    for (; head->run < head->nr_runs && head->runs[head->run].tsc <= until; head->run++) {
        const struct merge_run *run = &head->runs[head->run];
        merge->merged->branches[cpu->cpu] += run->count;
        merge->merged->untimed[cpu->cpu] += run->tsc == 0 ? run->count : 0;
        end = run->text_end;
    }
    merge->options->write(merge->options->context, head->text + begin, end - begin);
}

static bool merge_all(struct merge *merge)
{
    struct merge_cpu *cpu;
    uint64_t until;
    for (unsigned i = 0; i < merge->nr_cpus; i++)
        if (!refill(merge, &merge->cpus[i]))
            return false;
    while ((cpu = earliest(merge, &until))) {
        write_runs(merge, cpu, until);
        if (cpu->head->run == cpu->head->nr_runs && !refill(merge, cpu))
            return false;
    }
    return true;
}

/* With threads that decode; false: error says why. */
static bool merge_by_threads(struct merge *merge, unsigned wanted, struct error *error)
{
    pthread_t threads[MAX_THREADS];
    unsigned started = 0;
    while (started < wanted && pthread_create(&threads[started], NULL, run_worker, merge) == 0)
        started++;
    const bool good = started > 0 && merge_all(merge);
    pthread_mutex_lock(&merge->lock);
    merge->stop = true;
    pthread_cond_broadcast(&merge->work);
    pthread_mutex_unlock(&merge->lock);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return good || error_set(error, ERROR_MEMORY, 0, started > 0 ? "the branches of a stretch" : "a thread");
}

/* All CPUs that have a trace. false: error says why. */
static bool open_cpus(struct merge *merge, const struct capture *capture, unsigned threads, struct error *error)
{
    unsigned present = 0;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        present += capture->cpus[cpu].present;
    const size_t seats = present > 0 ? (threads + present - 1) / present + (present > 1 && threads > 1) : 0;
    merge->depth = 2 * seats;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (capture->cpus[cpu].present &&
            !merge_cpu_open(&merge->cpus[merge->nr_cpus++], capture, (uint16_t)cpu, merge->depth, seats, error))
            return false;
    return true;
}

bool flow_merge(struct flow_merged *merged, const struct capture *capture, const struct flow_merge_options *options,
                struct error *error)
{
    struct merge merge = {
        .cpus = calloc(capture->nr_cpus + 1, sizeof(*merge.cpus)), .merged = merged, .options = options};
    unsigned threads = options->threads ? options->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads < MAX_THREADS ? threads : MAX_THREADS;
    *merged = (struct flow_merged){{0}, {0}, {0}};
    if (!merge.cpus)
        return error_set(error, ERROR_MEMORY, 0, "%u CPUs", capture->nr_cpus);
    pthread_mutex_init(&merge.lock, NULL);
    pthread_cond_init(&merge.work, NULL);
    pthread_cond_init(&merge.ready, NULL);
    const bool good = open_cpus(&merge, capture, threads, error) && merge_by_threads(&merge, threads, error);
    for (unsigned i = 0; i < merge.nr_cpus; i++) {
        merged->errors[merge.cpus[i].cpu] += merge.cpus[i].lost;
        merge_cpu_close(&merge.cpus[i]);
    }
    free(merge.cpus);
    pthread_cond_destroy(&merge.ready);
    pthread_cond_destroy(&merge.work);
    pthread_mutex_destroy(&merge.lock);
    return good;
}
