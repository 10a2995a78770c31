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
#define LOOK_SHARE 10 /* opening the capture takes one part in so many of the thread's time, at most */

struct flow_live {
    char *directory;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool finish;                      /* no more comes */
    struct flow_live_state state;     /* with the lock */
    double opening;                   /* seconds: the last look's, without decoding */
    uint64_t tried[CAPTURE_MAX_CPUS]; /* the stretch there could not be decoded at the last look; plus 1 */
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

/* A look at a CPU. */
struct look {
    struct flow_live *live;
    unsigned cpu;
    bool last;
};

/* A page or a mapping may come later than the trace that needs it: once more at the next look, then it is an error. */
static bool try_later(struct flow_live *live, unsigned cpu, const struct flow_result *result, bool last)
{
    const bool before = live->tried[cpu] == result->begin + 1;
    live->tried[cpu] = result->begin + 1;
    return result->error != FLOW_OK && !before && !last;
}

/* Up to the first stretch that is to be tried later. */
static bool decode_part(struct look *look, struct flow_trace *trace, uint64_t from, uint64_t to, struct error *error)
{
    const struct flow_run_options options = {.from = from, .to = to, .sums_only = true};
    const struct flow_batch *batch;
    struct flow_pull pull;
    struct flow_run run;
    bool stopped = false;
    if (!flow_pull_open(&pull, &run, trace, &options, error))
        return false;
    while (!stopped && (batch = flow_pull_next(&pull))) {
        if (batch->kind != FLOW_BATCH_END)
            continue;
        stopped = try_later(look->live, look->cpu, batch->result, look->last);
        if (!stopped)
            publish(look->live, look->cpu, batch->result);
    }
    const bool good = flow_pull_close(&pull, error);
    flow_run_free(&run);
    return good;
}

/* Has the PSB+ there come up to its end? */
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

/* The last PSB after from whose PSB+ is whole: up to there it is known how stretches end. from: there is none. */
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
    struct look look = {.live = live, .cpu = cpu, .last = last};
    const uint64_t from = live->state.cpus[cpu].offset;
    const uint64_t to = last ? UINT64_MAX : find_end(&capture->cpus[cpu], from);
    struct flow_trace trace = {.mapped = false};
    if (to <= from)
        return true;
    const double start = monotonic_seconds();
    bool good = flow_trace_open_uncut(&trace, capture, (uint16_t)cpu, error);
    live->opening += monotonic_seconds() - start;
    good = good && decode_part(&look, &trace, from, to, error);
    flow_trace_close(&trace);
    return good;
}

static void look(struct flow_live *live, bool last)
{
    struct error error = {0};
    const double start = monotonic_seconds();
    struct capture *capture = capture_open(live->directory, &error);
    live->opening = monotonic_seconds() - start;
    for (unsigned cpu = 0; capture && cpu < CAPTURE_MAX_CPUS; cpu++)
        if (capture->cpus[cpu].present && !decode_new(live, capture, cpu, last, &error))
            break;
    capture_close(capture);
    pthread_mutex_lock(&live->lock);
    live->state.error = error;
    pthread_mutex_unlock(&live->lock);
}

/* Until it is time for the next look. Returns whether it is the last one. */
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
                NICENESS); /* of this thread and those that it makes: receiving is first */
    double pause = FIRST_PAUSE;
    bool last;
    do {
        last = pause_for(live, pause);
        const double start = monotonic_seconds();
        look(live, last);
        pause = live->opening * LOOK_SHARE - (monotonic_seconds() - start);
        pause = pause > FIRST_PAUSE ? pause : FIRST_PAUSE;
    } while (!last);
    return NULL;
}

struct flow_live *flow_live_start(const char *directory)
{
    struct flow_live *live = calloc(1, sizeof(*live));
    if (!live || !(live->directory = strdup(directory))) {
        free(live);
        return NULL;
    }
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

void flow_live_finish(struct flow_live *live, struct flow_live_state *state)
{
    pthread_mutex_lock(&live->lock);
    live->finish = true;
    pthread_cond_signal(&live->wake);
    pthread_mutex_unlock(&live->lock);
    pthread_join(live->thread, NULL);
    flow_live_read(live, state);
    pthread_cond_destroy(&live->wake);
    pthread_mutex_destroy(&live->lock);
    free(live->directory);
    free(live);
}
