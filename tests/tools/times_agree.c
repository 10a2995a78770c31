/*
 * The TSC that the decoder gives each branch, beside what it was in the emulated CPU (ptmodel: times=1).
 *
 * usage: times_agree CAPTURE BRANCHES [CPU [AHEAD]]      prints: branches, of which without a time, and how far off the
 * others are in ticks: in the mean, at most, and at most early and late. AHEAD: the emulated CPU's TSC is so many ticks
 * ahead of the clock of the trace
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/capture.h"
#include "decode/cli/text/error_text.h"
#include "decode/engine/flow.h"
#include "decode/flow/flow_trace.h"
#include "decode/truth.h"

struct times {
    FILE *branches, *tscs;
    uint64_t count, untimed, differ;
    uint64_t early, late; /* the most */
    double sum;
    uint64_t unbounded, outside; /* branches with a time but no bound; outside of theirs */
    uint64_t widest;
    double bounds;
    uint64_t ahead;
};

static void check_bound(struct times *times, uint64_t off, uint64_t bound)
{
    times->unbounded += bound == FLOW_TSC_ERROR_UNKNOWN;
    if (bound == FLOW_TSC_ERROR_UNKNOWN)
        return;
    times->outside += off > bound;
    times->widest = bound > times->widest ? bound : times->widest;
    times->bounds += (double)bound;
}

static void compare(struct times *times, const struct flow_branch *branch, const struct flow_context *at)
{
    struct truth_branch expected;
    uint64_t truth;
    const uint64_t tsc = at->tsc;
    times->count++;
    if (fread(&expected, sizeof(expected), 1, times->branches) != 1 ||
        fread(&truth, sizeof(truth), 1, times->tscs) != 1 || expected.from != branch->from ||
        expected.to != branch->to) {
        times->differ++;
        return;
    }
    if (tsc == 0) {
        times->untimed++;
        return;
    }
    truth -= times->ahead;
    const uint64_t off = tsc > truth ? tsc - truth : truth - tsc;
    uint64_t *most = tsc > truth ? &times->late : &times->early;
    *most = off > *most ? off : *most;
    times->sum += (double)off;
    check_bound(times, off, at->tsc_error);
}

static void take(struct times *times, const struct flow_batch *batch)
{
    for (size_t i = 0; batch->kind == FLOW_BATCH_ITEMS && i < batch->count; i++)
        compare(times, &batch->items[i].branch, &batch->context);
}

static FILE *open_list(const char *name, const char *end)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s%s", name, end);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

static void decode(struct flow_trace *trace, struct times *times)
{
    const struct flow_batch *batch;
    struct error error = {0};
    struct flow *flow = flow_start(&trace->input, FLOW_NEED_BRANCHES | FLOW_NEED_TIME, &error);
    if (!flow) {
        error_print(&error);
        exit(1);
    }
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        flow_begin(flow, &trace->stretches[i]);
        while ((batch = flow_next(flow)))
            take(times, batch);
    }
    flow_end(flow);
}

int main(int argc, char **argv)
{
    struct capture *capture;
    struct flow_trace trace;
    struct error error = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: times_agree CAPTURE BRANCHES [CPU [AHEAD]]\n");
        return 2;
    }
    struct times times = {.branches = open_list(argv[2], ""),
                          .tscs = open_list(argv[2], ".times"),
                          .ahead = argc > 4 ? (uint64_t)strtoll(argv[4], NULL, 10) : 0};
    if (!(capture = capture_open(argv[1], &error)) ||
        !flow_trace_open(&trace, capture, (uint16_t)(argc > 3 ? atoi(argv[3]) : 0), &error)) {
        error_print(&error);
        return 1;
    }
    decode(&trace, &times);
    const uint64_t timed = times.count - times.untimed - times.differ;
    printf("%" PRIu64 " branches, %" PRIu64 " without a time, %" PRIu64
           " others than the emulator's; off by %.1f in the mean, "
           "%" PRIu64 " early, %" PRIu64 " late\n",
           times.count, times.untimed, times.differ, timed ? times.sum / (double)timed : 0, times.early, times.late);
    const uint64_t bounded = timed - times.unbounded;
    printf("%" PRIu64 " branches bounded, %" PRIu64 " not; %" PRIu64
           " outside of their bounds, which are %.1f in the mean, %" PRIu64 " at most\n",
           bounded, times.unbounded, times.outside, bounded ? times.bounds / (double)bounded : 0, times.widest);
    flow_trace_close(&trace);
    capture_close(capture);
    return times.differ ? 1 : 0;
}
