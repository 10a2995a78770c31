#include "decode/flow/flow_live.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/capture/psb.h"
#include "decode/flow/flow_run.h"
#include "decode/flow/flow_trace.h"
#include "pt/packet/packet.h"

#define FIRST_PAUSE 0.25 /* seconds */
#define NICENESS 10
#define SCAN_SHARE 10 /* opening the capture takes at most one part in so many of the thread's time */

struct flow_live {
    char *directory;
    struct flow_live_observer observer; /* without functions: none */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool finish;                      /* no more comes */
    struct flow_live_state state;     /* with the lock */
    double opening;                   /* seconds that the last scan took, without decoding */
    uint64_t tried[CAPTURE_MAX_CPUS]; /* 1 + trace offset of the stretch that the last scan could not decode; or 0 */
};

static void publish(struct flow_live *live, unsigned cpu, const struct flow_result *result)
{
    pthread_mutex_lock(&live->lock);
    struct flow_live_cpu *own = &live->state.cpus[cpu];
    own->offset = result->end;
    own->branches += result->branches;
    own->errors += (result->error != FLOW_OK) + result->loops;
    if (result->branches > 0)
        own->last_to = result->last_to;
    if (live->state.nr_cpus <= cpu)
        live->state.nr_cpus = cpu + 1;
    pthread_mutex_unlock(&live->lock);
}

/* A scan of one CPU's trace. */
struct scan {
    struct flow_live *live;
    unsigned cpu;
    bool last;
};

/* A page or a mapping may arrive after the trace that needs it: an error counts only if the next scan still has it. */
static bool try_later(struct flow_live *live, unsigned cpu, const struct flow_result *result, bool last)
{
    const bool before = live->tried[cpu] == result->begin + 1;
    live->tried[cpu] = result->begin + 1;
    return result->error != FLOW_OK && !before && !last;
}

/* Up to the first stretch that is to be tried later. */
static bool decode_part(struct scan *scan, struct flow_trace *trace, uint64_t from, uint64_t to, struct error *error)
{
    const struct flow_live_observer *observer = &scan->live->observer;
    const struct flow_run_options options = {.from = from, .to = to, .needs = observer->needs, .sums_only = true};
    const struct flow_batch *batch;
    struct flow_pull pull;
    struct flow_run run;
    bool stopped = false;
    if (!flow_pull_open(&pull, &run, trace, &options, error))
        return false;
    while (!stopped && (batch = flow_pull_next(&pull))) {
        if (observer->take)
            observer->take(observer->context, (uint16_t)scan->cpu, batch);
        if (batch->kind != FLOW_BATCH_END)
            continue;
        stopped = try_later(scan->live, scan->cpu, batch->result, scan->last);
        if (!stopped)
            publish(scan->live, scan->cpu, batch->result);
        if (observer->settle)
            observer->settle(observer->context, (uint16_t)scan->cpu, !stopped);
    }
    const bool good = flow_pull_close(&pull, error);
    flow_run_free(&run);
    return good;
}

/* Is the PSB+ there complete? */
static bool has_header(const struct capture_trace *bytes, uint64_t psb)
{
    struct packet packet = {0};
    int size;
    for (uint64_t at = psb; at < bytes->size && packet.kind != PT_PACKET_PSBEND && packet.kind != PT_PACKET_OVF;
         at += (uint64_t)size)
        if ((size = packet_parse(&packet, bytes->bytes + at, (size_t)(bytes->size - at))) <= 0)
            return size != PT_PARSE_TRUNCATED;
    return packet.kind == PT_PACKET_PSBEND || packet.kind == PT_PACKET_OVF;
}

/* The last PSB after from whose PSB+ is complete: it is known how the stretches before it end. from: there is none. */
static uint64_t find_end(const struct capture_trace *bytes, uint64_t from)
{
    uint64_t at = bytes->size;
    while (at > 0 && (at = psb_last(bytes->bytes, bytes->size, at - 1)) != PSB_NONE && at > from)
        if (has_header(bytes, at))
            return at;
    return from;
}

/* The stretches after what is decoded; those before it are not searched again. */
static bool decode_new(struct flow_live *live, const struct capture *capture, unsigned cpu, bool last,
                       struct error *error)
{
    struct scan scan = {.live = live, .cpu = cpu, .last = last};
    const uint64_t from = live->state.cpus[cpu].offset;
    const uint64_t to = last ? UINT64_MAX : find_end(&capture->cpus[cpu], from);
    struct flow_trace trace = {.mapped = false};
    if (to <= from)
        return true;
    const double start = monotonic_seconds();
    bool good = flow_trace_open_uncut(&trace, capture, (uint16_t)cpu, error);
    live->opening += monotonic_seconds() - start;
    good = good && decode_part(&scan, &trace, from, to, error);
    flow_trace_close(&trace);
    return good;
}

static void scan_capture(struct flow_live *live, bool last)
{
    struct error error = {0};
    const double start = monotonic_seconds();
    struct capture *capture = capture_open(live->directory, &error);
    live->opening = monotonic_seconds() - start;
    for (unsigned cpu = 0; capture && cpu < CAPTURE_MAX_CPUS; cpu++)
        if (capture->cpus[cpu].present && !decode_new(live, capture, cpu, last, &error))
            break;
    capture_close(capture);
    if (live->observer.scanned)
        live->observer.scanned(live->observer.context, last);
    pthread_mutex_lock(&live->lock);
    live->state.error = error;
    live->state.done = last;
    pthread_mutex_unlock(&live->lock);
}

/* Wait until it is time for the next scan. Returns whether that is the last one. */
static bool pause_for(struct flow_live *live, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double at = (double)until.tv_sec + (double)until.tv_nsec / 1e9 + seconds;
    until = (struct timespec){(time_t)at, (long)((at - (double)(time_t)at) * 1e9)};
    pthread_mutex_lock(&live->lock);
    while (!live->finish && pthread_cond_timedwait(&live->wake, &live->lock, &until) == 0)
        ;
    const bool last = live->finish;
    pthread_mutex_unlock(&live->lock);
    return last;
}

static void *run(void *context)
{
    struct flow_live *live = context;
    setpriority(PRIO_PROCESS, (id_t)gettid(),
                NICENESS); /* of this thread and those that it creates: receiving has priority */
    double pause = FIRST_PAUSE;
    bool last;
    do {
        last = pause_for(live, pause);
        const double start = monotonic_seconds();
        scan_capture(live, last);
        pause = live->opening * SCAN_SHARE - (monotonic_seconds() - start);
        pause = pause > FIRST_PAUSE ? pause : FIRST_PAUSE;
    } while (!last);
    return NULL;
}

struct flow_live *flow_live_start(const char *directory, const struct flow_live_observer *observer)
{
    struct flow_live *live = calloc(1, sizeof(*live));
    if (!live || !(live->directory = strdup(directory))) {
        free(live);
        return NULL;
    }
    if (observer)
        live->observer = *observer;
    pthread_mutex_init(&live->lock, NULL);
    pthread_condattr_t by_monotonic;
    pthread_condattr_init(&by_monotonic);
    pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&live->wake, &by_monotonic);
    pthread_condattr_destroy(&by_monotonic);
    if (pthread_create(&live->thread, NULL, run, live) == 0)
        return live;
    free(live->directory);
    free(live);
    return NULL;
}

void flow_live_read(struct flow_live *live, struct flow_live_state *state)
{
    pthread_mutex_lock(&live->lock);
    *state = live->state;
    pthread_mutex_unlock(&live->lock);
}

void flow_live_last(struct flow_live *live)
{
    pthread_mutex_lock(&live->lock);
    live->finish = true;
    pthread_cond_signal(&live->wake);
    pthread_mutex_unlock(&live->lock);
}

void flow_live_finish(struct flow_live *live, struct flow_live_state *state)
{
    flow_live_last(live);
    pthread_join(live->thread, NULL);
    flow_live_read(live, state);
    pthread_cond_destroy(&live->wake);
    pthread_mutex_destroy(&live->lock);
    free(live->directory);
    free(live);
}
