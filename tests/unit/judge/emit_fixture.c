#include "tests/unit/judge/emit_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/foreign/foreign_trace.h"
#include "decode/foreign/perf_packets.h"
#include "tests/judge/events/events.h"
#include "tests/judge/text/ptxed_line.h"

#define MOST_BYTES 512u
#define MOST_TEXT 4096u

static uint8_t trace[MOST_BYTES];
size_t emit_trace_size;
size_t emit_gap;
bool emit_ticks, emit_resync;
static char printed[MOST_TEXT];

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

static void take_event(void *options, const struct flow_event *event)
{
    ptxed_event_line(printed + strlen(printed), event, options);
}

static void take_items(void *options, const struct flow_batch *batch)
{
    (void)options;
    for (size_t i = 0; i < batch->count; i++)
        ptxed_address_line(printed + strlen(printed), batch->items[i].instruction, false);
}

const char *emitted_by(const char *code, size_t code_size)
{
    static struct ptxed_options options = {.event_ip = true, .event_iflags = true};
    struct foreign foreign = {0};
    struct error error = {0};
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
    const struct events_sink sink = {
        .items = take_items, .event = take_event, .context = &options, .resync = emit_resync, .ticks = emit_ticks};
    struct events *events = events_open(&foreign.trace.input, &sink, &error);
    assert_non_null(events);
    printed[0] = '\0';
    for (size_t i = 0; i < foreign.trace.nr_stretches; i++)
        events_run(events, &foreign.trace.stretches[i]);
    events_close(events);
    foreign_close(&foreign);
    for (char *at = printed; (at = strchr(at, '\n'));)
        *at = ' ';
    return printed;
}
