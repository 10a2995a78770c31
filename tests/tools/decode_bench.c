/*
 * How fast a capture is decoded: counting packets, parsing packets, and reconstructing the flow with one call for each
 * run of branches, by our engine and by libipt's block decoder with the same interface. One thread, with cold caches
 * of code. Measures CPU time, not elapsed time, so that a busy machine gives nearly the same figures. Both engines are
 * measured in one run.
 *
 * usage: decode_bench NAME CAPTURE [CPU]      prints a table's row
 */
#include <intel-pt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decode/capture/capture.h"
#include "decode/cli/text/error_text.h"
#include "decode/engine/flow.h"
#include "decode/flow/flow_packets.h"
#include "decode/flow/flow_trace.h"
#include "pt/packet/packet.h"
#include "tests/judge/judge.h"

struct counted {
    uint64_t branches, mixed;
};

struct scanned {
    uint64_t count, mixed;
};

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Looks at each branch, so that it has to be there. */
static void take_batch(struct counted *counted, const struct flow_batch *batch)
{
    if (batch->kind != FLOW_BATCH_ITEMS)
        return;
    for (size_t i = 0; i < batch->count; i++)
        counted->mixed += batch->items[i].branch.from ^ batch->items[i].branch.to;
    counted->branches += batch->count;
}

static double decode_all(const struct flow_trace *trace, const struct flow_ops *engine, struct counted *counted)
{
    const struct flow_batch *batch;
    struct error error = {0};
    const double start = processor_seconds();
    flow_use(engine);
    struct flow *flow = flow_start(&trace->input, FLOW_NEED_BRANCHES, &error);
    if (!flow) {
        error_print(&error);
        exit(1);
    }
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        flow_begin(flow, &trace->stretches[i]);
        while ((batch = flow_next(flow)))
            take_batch(counted, batch);
    }
    flow_end(flow);
    return processor_seconds() - start;
}

/* Packets, found one by one and counted; payloads are stepped over. */
static double count_packets(const struct flow_trace *trace, uint64_t *count)
{
    const double start = processor_seconds();
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        const struct flow_stretch *stretch = &trace->stretches[i];
        *count += flow_packets_look(trace->input.trace + stretch->begin, stretch->end - stretch->begin, true).count;
    }
    return processor_seconds() - start;
}

/* All fields of each, as libipt returns them; they are used, so that the compiler cannot drop them. */
static double scan_ours(const struct flow_trace *trace, struct scanned *scanned)
{
    const double start = processor_seconds();
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        const uint8_t *at = trace->input.trace + trace->stretches[i].begin;
        const uint8_t *end = trace->input.trace + trace->stretches[i].end;
        struct packet packet;
        for (int size; (size = packet_parse(&packet, at, (size_t)(end - at))) > 0; at += size) {
            scanned->mixed += packet.payload ^ (uint64_t)packet.kind;
            scanned->count++;
        }
    }
    return processor_seconds() - start;
}

static double scan_libipt(const struct flow_trace *trace, struct scanned *scanned)
{
    const double start = processor_seconds();
    for (size_t i = 0; i < trace->nr_stretches; i++) {
        const struct flow_stretch *stretch = &trace->stretches[i];
        struct pt_config config;
        pt_config_init(&config);
        config.begin = (uint8_t *)(uintptr_t)trace->input.trace + stretch->begin;
        config.end = (uint8_t *)(uintptr_t)trace->input.trace + stretch->end;
        struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);
        struct pt_packet packet;
        pt_pkt_sync_set(decoder, 0);
        while (pt_pkt_next(decoder, &packet, sizeof(packet)) >= 0) {
            scanned->mixed += packet.payload.ip.ip ^ (uint64_t)packet.type;
            scanned->count++;
        }
        pt_pkt_free_decoder(decoder);
    }
    return processor_seconds() - start;
}

int main(int argc, char **argv)
{
    struct capture *capture;
    struct flow_trace trace;
    struct error error = {0};
    struct counted ours = {0}, theirs = {0};
    struct scanned our_packets = {0}, their_packets = {0};
    uint64_t nr_packets = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: decode_bench NAME CAPTURE [CPU]\n");
        return 2;
    }
    if (!(capture = capture_open(argv[2], &error)) ||
        !flow_trace_open(&trace, capture, (uint16_t)(argc > 3 ? atoi(argv[3]) : 0), &error)) {
        error_print(&error);
        return 1;
    }
    const double mb = (double)trace.input.trace_size / 1e6;
    const double count = count_packets(&trace, &nr_packets);
    const double scan = scan_ours(&trace, &our_packets), scan2 = scan_libipt(&trace, &their_packets);
    const double flow = decode_all(&trace, &flow_engine_own, &ours);
    const double flow2 = decode_all(&trace, &flow_engine_libipt, &theirs);
    const bool same = ours.branches == theirs.branches && ours.mixed == theirs.mixed &&
                      our_packets.count == their_packets.count && nr_packets == our_packets.count;
    printf("%-12s %7.1f %14" PRIu64 " %8.0f %8.0f %8.0f %6.1f %8.1f %8.1f %6.1f %7.2f  %s\n", argv[1], mb,
           ours.branches, mb / count, mb / scan, mb / scan2, scan2 / scan, mb / flow, mb / flow2, flow2 / flow,
           flow / (double)ours.branches * 1e9, same ? "same" : "DIFFERENT");
    flow_trace_close(&trace);
    capture_close(capture);
    return same ? 0 : 1;
}
