#include "tests/unit/decode/engine/emit_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/foreign/foreign_trace.h"
#include "decode/foreign/perf_packets.h"
#include "decode/report/ptxed_line.h"

#define MOST_BYTES 512u
#define MOST_TEXT 4096u

static uint8_t trace[MOST_BYTES];
size_t emit_trace_size;
size_t emit_gap;
bool emit_ticks, emit_resync;
static char text[MOST_TEXT];

void emit_put(struct packet packet)
{
    emit_trace_size += packet_encode(trace + emit_trace_size, &packet);
}

void emit_begin(bool tracing)
{
    emit_trace_size = 0;
    PUT(.kind = PT_PACKET_PSB);
    if (tracing)
        PUT_IP(PT_PACKET_FUP, CODE);
    PUT(.kind = PT_PACKET_MODE_EXEC, .cs_l = true);
    PUT(.kind = PT_PACKET_PSBEND);
}

void emit_finish(uint64_t ip)
{
    PUT_IP(PT_PACKET_FUP, ip);
    PUT(.kind = PT_PACKET_TIP_PGD, .ip_bytes = PT_IP_SUPPRESSED);
}

static void take_batch(const struct flow_batch *batch, const struct ptxed_options *options)
{
    if (batch->kind == FLOW_BATCH_EVENT)
        ptxed_event_line(text + strlen(text), batch->event, options);
    for (size_t i = 0; batch->kind == FLOW_BATCH_ITEMS && i < batch->count; i++)
        ptxed_address_line(text + strlen(text), batch->items[i].instruction, false);
}

const char *emitted_by(const char *code, size_t code_size)
{
    static const struct ptxed_options options = {.event_ip = true, .event_iflags = true};
    struct foreign foreign = {0};
    struct error error = {0};
    const struct flow_batch *batch;
    foreign.packets = (struct foreign_file){malloc(emit_trace_size), emit_trace_size};
    foreign.image.files = calloc(1, sizeof(*foreign.image.files));
    foreign.image.files[0] = (struct foreign_file){malloc(code_size), code_size};
    foreign.image.nr_files = 1;
    memcpy(foreign.packets.bytes, trace, emit_trace_size);
    memcpy(foreign.image.files[0].bytes, code, code_size);
    assert_true(foreign_image_add_piece(&foreign.image, (struct foreign_piece){.gva = CODE, .size = code_size}, "code",
                                        &error));
    if (emit_gap)
        assert_true(perf_packets_gap(&foreign.trace, (struct record_gap){.at = emit_gap}));
    assert_true(foreign_prepare(&foreign, "trace", &error));
    foreign.trace.input.ticks = emit_ticks;
    foreign.trace.input.resync = emit_resync;
    struct flow *flow = flow_start(&foreign.trace.input, FLOW_NEED_INSTRUCTIONS | FLOW_NEED_EVENTS, &error);
    assert_non_null(flow);
    text[0] = '\0';
    for (size_t i = 0; i < foreign.trace.nr_stretches; i++) {
        flow_begin(flow, &foreign.trace.stretches[i]);
        while ((batch = flow_next(flow)))
            take_batch(batch, &options);
    }
    flow_end(flow);
    foreign_close(&foreign);
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
    return text;
}
