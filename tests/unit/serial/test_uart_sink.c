/* channel=uart over a UART that stops: root mode waits for a limited time, and the bytes that the channel has taken are
 * sent when the UART works again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/receive/uart_stream.h"
#include "decode/receive/unpack.h"
#include "serial/uart/uart_sink.h"
#include "serial/wire/sink_cut.h"

#define PATIENCE (1ull << 20) /* TSC ticks */
#define RECORD_BYTES 16384u
#define STREAM_ID 0x1234u

/* A UART that takes a limited number of bytes, and the line that it drives. */
static struct {
    uint32_t takes;
    uint32_t fifo;     /* bytes written since it was empty */
    uint64_t fifo_tsc; /* ticks until it is empty again */
    uint64_t filled;   /* when it was last seen empty */
    size_t size;
    uint8_t line[1u << 20];
} fake;

/* The bytes that arrived. */
static struct {
    uint32_t frames;
    uint64_t ends[2]; /* ends of the streams: trace, records */
    bool holes;
    uint8_t version;
    uint32_t packed;
    const uint8_t *trace; /* what should arrive; NULL: any bytes */
} received;

bool uart_init(const struct uart *uart, uint32_t divisor)
{
    (void)uart;
    return divisor != 0;
}

bool uart_fifo_empty(const struct uart *uart)
{
    const uint64_t now = __builtin_ia32_rdtsc();

    (void)uart;
    if (fake.takes < UART_FIFO_BYTES || now - fake.filled < fake.fifo_tsc)
        return false;
    fake.filled = now;
    fake.fifo = 0;
    return true;
}

bool uart_idle(const struct uart *uart)
{
    return uart_fifo_empty(uart);
}

bool uart_read(const struct uart *uart, uint8_t *byte)
{
    (void)uart, (void)byte;
    return false;
}

void uart_write(const struct uart *uart, uint8_t byte)
{
    (void)uart;
    assert_true(fake.fifo++ < UART_FIFO_BYTES && fake.takes-- > 0);
    assert_true(fake.size < sizeof(fake.line));
    fake.line[fake.size++] = byte;
}

static struct sink *opened_as(struct uart_sink_params params, uint32_t takes)
{
    static void *memory;
    char why[64];
    params.divisor = 1;
    params.stream_id = STREAM_ID;
    params.nr_cpus = 1;
    params.record_bytes = RECORD_BYTES;
    const size_t bytes = (uart_sink_memory_bytes(1, RECORD_BYTES, params.compresses) + 4095) & ~4095ul;

    free(memory);
    memory = aligned_alloc(4096, bytes);
    assert_non_null(memory);
    memset(memory, 0xa5, bytes);
    memset(&fake, 0, sizeof(fake));
    fake.takes = takes;
    return uart_sink_init(memory, &params, why, sizeof(why));
}

static struct sink *opened(uint64_t stall_tsc, uint32_t takes)
{
    return opened_as((struct uart_sink_params){.stall_tsc = stall_tsc}, takes);
}

static void record(struct sink *sink)
{
    static const uint8_t bytes[1000];
    sink_record(sink, 0, &(struct sink_piece){bytes, sizeof(bytes)}, 1);
}

static void take(void *context, const struct frame_header *header, const uint8_t *payload)
{
    const bool is_trace = (header->kind & ~FRAME_PACKED) == FRAME_TRACE;
    uint64_t *end = &received.ends[is_trace ? 0 : 1];
    static uint8_t plain[FRAME_MAX_PLAIN];
    size_t size = header->length;

    (void)context;
    if ((header->kind & FRAME_PACKED) != 0) {
        size = unpack_block(plain, sizeof(plain), payload, size);
        assert_true(size > header->length);
        payload = plain;
        received.packed++;
    }
    assert_int_equal(header->stream_id, STREAM_ID);
    assert_int_equal(header->seq, received.frames);
    received.version = header->version;
    received.holes |= header->offset != *end;
    if (is_trace && received.trace) {
        assert_memory_equal(payload, received.trace + header->offset, size);
    }
    *end = header->offset + size;
    received.frames++;
}

/* The line has only complete frames, without holes. */
static void receive_all(const uint8_t *trace)
{
    static struct uart_stream stream;

    memset(&stream, 0, sizeof(stream));
    memset(&received, 0, sizeof(received));
    received.trace = trace;
    for (size_t at = 0; at < fake.size; at += 1000)
        uart_stream_take(&stream, fake.line + at, fake.size - at < 1000 ? fake.size - at : 1000, take, NULL);
    uart_stream_end(&stream, take, NULL);
    assert_false(received.holes);
    assert_int_equal(stream.garbage, 0);
}

static void receive(void)
{
    receive_all(NULL);
}

/* The UART stops within a frame of trace. */
static void it_stops_and_comes_back(void **state)
{
    static uint8_t trace[5000];
    struct sink *sink = opened(PATIENCE, 2000 / UART_FIFO_BYTES * UART_FIFO_BYTES);

    (void)state;
    sink_trace(sink, 0, 0, trace, 0, sizeof(trace));
    for (int i = 0; i < 100; i++)
        sink_poll(sink);
    assert_int_equal(fake.takes, 0);
    assert_false(sink_is_cut(sink)); /* no caller has to wait */
    for (uint32_t i = 0; i < RECORD_BYTES / 1000; i++)
        record(sink);
    assert_int_equal(sink->cut->lost, 0);
    const uint64_t start = __builtin_ia32_rdtsc();
    record(sink); /* returns although there is no room */
    assert_true(__builtin_ia32_rdtsc() - start >= PATIENCE);
    assert_true(sink_is_cut(sink));
    assert_int_equal(sink->cut->lost, 1);
    assert_int_equal(sink->cut->taken(sink, 0), sizeof(trace));
    sink_trace(sink, 0, sizeof(trace), trace, 0, 100); /* discarded */
    assert_int_equal(sink->cut->taken(sink, 0), sizeof(trace));
    assert_false(sink_drain_all(sink, PATIENCE));

    fake.takes = sizeof(fake.line);
    assert_true(sink_drain_all(sink, 1ull << 40));
    record(sink); /* the record of the gap: there is room for it */
    assert_true(sink_drain_all(sink, 1ull << 40));
    assert_int_equal(sink->cut->lost, 1);
    receive();
    assert_int_equal(received.ends[0], sizeof(trace));
    assert_int_equal(sink_released(sink, 0), sizeof(trace));
    assert_int_equal(received.ends[1], (RECORD_BYTES / 1000 + 1) * 1000);
}

/* Parts that shrink, and parts that do not. */
static void compressed_frames(void **state)
{
    static uint8_t trace[100000];
    const uint8_t *const plain = trace;
    struct sink *sink = opened_as((struct uart_sink_params){.compresses = true}, sizeof(fake.line));
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof(trace); i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        trace[i] = i / 10000 % 2 == 0 ? (uint8_t)(i / 16) : (uint8_t)(random >> 56);
    }
    sink_trace(sink, 0, 0, trace, 0, sizeof(trace));
    record(sink);
    assert_true(sink_drain_all(sink, 1ull << 40));
    assert_int_equal(sink_released(sink, 0), sizeof(trace));
    assert_int_equal(sink->plain_bytes, sizeof(trace) + 1000);
    assert_in_range(sink->packed_bytes, 60000, 65000);
    assert_in_range(fake.size, sink->packed_bytes, sink->packed_bytes + sink->packed_bytes / 20);
    receive_all(plain);
    assert_int_equal(received.ends[0], sizeof(trace));
    assert_int_equal(received.ends[1], 1000);
    assert_int_equal(received.version, FRAME_PACKED_VERSION);
    assert_in_range(received.packed, 10, received.frames - 40);
}

/* Sending everything takes many times the patience, but there is progress all the time. */
static void a_slow_one_is_waited_for(void **state)
{
    struct sink *sink = opened(PATIENCE, sizeof(fake.line));

    (void)state;
    fake.fifo_tsc = PATIENCE / 16;
    const uint64_t start = __builtin_ia32_rdtsc();
    for (uint32_t i = 0; i < 3 * RECORD_BYTES / 1000; i++)
        record(sink);
    assert_true(__builtin_ia32_rdtsc() - start > 4 * PATIENCE);
    assert_false(sink_is_cut(sink));
}

static void without_a_bound_there_is_none(void **state)
{
    (void)state;
    assert_null(opened(0, 0)->cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stops_and_comes_back),
        cmocka_unit_test(compressed_frames),
        cmocka_unit_test(a_slow_one_is_waited_for),
        cmocka_unit_test(without_a_bound_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
