/* Kind: shell */
/* channel=uart: frames over a 16550. */
#include "serial/uart/uart_sink.h"

#include "base/init.h"
#include "base/log.h"
#include "base/phys.h"
#include "serial/uart/uart.h"
#include "serial/wire/command.h"
#include "serial/wire/crc32c.h"
#include "serial/wire/frame.h"
#include "serial/wire/lz4.h"
#include "serial/wire/sink_cut.h"
#include "serial/wire/stream.h"

#define MAX_PAYLOAD 1024u
#define FIFOS_PER_POLL 4u
#define PAGE_BYTES 4096u

/* With compression: what the frame that is being written carries. */
struct uart_packer {
    struct lz4_table table;
    uint8_t block[MAX_PAYLOAD];
};

struct uart_queues {
    struct trace_queue trace;
    struct record_queue records;
};

struct uart_sink {
    struct sink sink;
    struct sink_cut cut;
    struct uart uart;
    uint64_t written; /* bytes written to the UART, of all frames */
    uint32_t seq;

    /* The frame that is being written. Its payload stays in the queue until all of it is written. */
    bool busy;
    struct frame_header header;
    const uint8_t *payload;
    uint32_t plain; /* bytes of the queue that it has, compressed or not */
    uint32_t crc;   /* of the payload */
    uint32_t at;    /* how many bytes of header, payload and CRC are written */

    bool waiting;       /* the queues are not empty */
    uint16_t first_cpu; /* the CPU to serve next, in turn */

    struct command_box commands;
    struct command_line line;
    struct uart_packer *packer; /* NULL: frames are not compressed */

    struct uart_queues cpus[];
};

static struct uart_sink *uart_sink_of(struct sink *sink)
{
    return (struct uart_sink *)sink;
}

/* Compress as many of the span's bytes as fit into the frame, unless they do not shrink. */
static void pack_frame(struct uart_sink *s, struct span span)
{
    struct uart_packer *p = s->packer;
    const struct lz4_block block = lz4_pack(&p->table, p->block, MAX_PAYLOAD, span.va, span.size);

    if (lz4_shrinks(block)) {
        s->header.kind |= FRAME_PACKED;
        s->header.length = (uint16_t)block.packed;
        s->payload = p->block;
        s->plain = block.plain;
    }
    s->sink.plain_bytes += s->plain;
    s->sink.packed_bytes += s->header.length;
}

static void begin_frame(struct uart_sink *s, uint16_t cpu, enum frame_kind kind, struct span span)
{
    s->header.kind = (uint8_t)kind;
    s->header.cpu = cpu;
    s->first_cpu = (uint16_t)(cpu + 1);
    s->header.seq = s->seq++;
    s->header.offset = span.offset;
    s->header.length = span.size < MAX_PAYLOAD ? (uint16_t)span.size : MAX_PAYLOAD;
    s->plain = s->header.length;
    s->payload = span.va;
    if (s->packer != NULL) {
        pack_frame(s, span);
    }
    frame_header_complete(&s->header);
    s->crc = crc32c(s->payload, s->header.length);
    s->at = 0;
    s->busy = true;
}

/* CPUs take turns; otherwise a CPU that keeps changing code would block the others. A CPU's records precede its trace,
 * because they announce gaps in it. false: the queues are empty. */
static bool begin_next_frame(struct uart_sink *s)
{
    const uint16_t nr_cpus = s->sink.nr_cpus;

    for (uint16_t i = 0; i < nr_cpus; i++) {
        const uint16_t cpu = (uint16_t)((s->first_cpu + i) % nr_cpus);
        const struct uart_queues *queues = &s->cpus[cpu];

        if (!record_queue_empty(&queues->records)) {
            begin_frame(s, cpu, FRAME_RECORDS, record_queue_peek(&queues->records));
            return true;
        }
        if (!trace_queue_empty(&queues->trace)) {
            begin_frame(s, cpu, FRAME_TRACE, trace_queue_peek(&queues->trace));
            return true;
        }
    }
    s->waiting = false;
    return false;
}

static void end_frame(struct uart_sink *s)
{
    struct uart_queues *queues = &s->cpus[s->header.cpu];

    s->busy = false;
    if ((s->header.kind & ~FRAME_PACKED) == FRAME_RECORDS) {
        record_queue_take(&queues->records, s->plain);
    } else {
        trace_queue_take(&queues->trace, s->plain);
    }
}

static uint8_t next_byte(struct uart_sink *s)
{
    uint32_t at = s->at++;

    if (at < FRAME_HEADER_SIZE) {
        return ((const uint8_t *)&s->header)[at];
    }
    at -= FRAME_HEADER_SIZE;
    if (at < s->header.length) {
        return s->payload[at];
    }
    at -= s->header.length;
    return (uint8_t)(s->crc >> 8 * at);
}

/* Fill the FIFO, as far as there are bytes. false: the queues are empty. */
static bool fill_fifo(struct uart_sink *s)
{
    for (uint32_t i = 0; i < UART_FIFO_BYTES; i++) {
        if (!s->busy && !begin_next_frame(s)) {
            return false;
        }
        uart_write(&s->uart, next_byte(s));
        s->written++;
        if (s->at == FRAME_HEADER_SIZE + s->header.length + sizeof(s->crc)) {
            end_frame(s);
        }
    }
    return true;
}

static void uart_poll(struct sink *sink)
{
    struct uart_sink *s = uart_sink_of(sink);
    uint8_t byte;

    for (uint32_t i = 0; i < UART_FIFO_BYTES && uart_read(&s->uart, &byte); i++) {
        command_line_take(&s->line, &s->commands, s->header.stream_id, byte);
    }
    for (uint32_t i = 0; i < FIFOS_PER_POLL && uart_fifo_empty(&s->uart); i++) {
        if (!fill_fifo(s)) {
            return;
        }
    }
}

static bool uart_trace(struct sink *sink, uint16_t cpu, uint64_t offset, const void *va, uint64_t pa, uint32_t size)
{
    struct uart_sink *s = uart_sink_of(sink);

    s->waiting = true;
    return size == 0 || trace_queue_add(&s->cpus[cpu].trace, (struct span){va, pa, size, offset});
}

static bool uart_record(struct sink *sink, uint16_t cpu, const struct sink_piece *pieces, uint32_t nr)
{
    struct uart_sink *s = uart_sink_of(sink);
    struct record_queue *q = &s->cpus[cpu].records;

    if (!record_queue_add_pieces(q, q->sent, pieces, nr)) {
        return false;
    }
    s->waiting = true;
    uart_poll(sink);
    return true;
}

static uint64_t uart_released(const struct sink *sink, uint16_t cpu)
{
    return __atomic_load_n(&((const struct uart_sink *)sink)->cpus[cpu].trace.sent, __ATOMIC_ACQUIRE);
}

static uint64_t uart_taken(const struct sink *sink, uint16_t cpu)
{
    return trace_queue_taken(&((const struct uart_sink *)sink)->cpus[cpu].trace);
}

static bool uart_busy(const struct sink *sink)
{
    const struct uart_sink *s = (const struct uart_sink *)sink;

    return s->busy || s->waiting;
}

static bool all_written(const struct uart_sink *s)
{
    for (uint16_t cpu = 0; cpu < s->sink.nr_cpus; cpu++) {
        if (!trace_queue_empty(&s->cpus[cpu].trace) || !record_queue_empty(&s->cpus[cpu].records)) {
            return false;
        }
    }
    return uart_idle(&s->uart);
}

static bool uart_delivered(struct sink *sink)
{
    uart_poll(sink);
    return all_written(uart_sink_of(sink));
}

static struct command_box *uart_commands(struct sink *sink)
{
    return &uart_sink_of(sink)->commands;
}

static const struct sink_ops uart_ops = {.name = "uart",
                                         .trace = uart_trace,
                                         .record = uart_record,
                                         .released = uart_released,
                                         .poll = uart_poll,
                                         .delivered = uart_delivered,
                                         .busy = uart_busy,
                                         .commands = uart_commands};

static size_t state_bytes(uint16_t nr_cpus)
{
    size_t bytes = sizeof(struct uart_sink) + nr_cpus * sizeof(struct uart_queues);

    return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

INIT_CODE size_t uart_sink_memory_bytes(uint16_t nr_cpus, uint32_t record_bytes, bool compresses)
{
    return state_bytes(nr_cpus) + (size_t)nr_cpus * record_bytes + (compresses ? sizeof(struct uart_packer) : 0);
}

INIT_CODE struct sink *uart_sink_init(void *memory, const struct uart_sink_params *params, char *why, size_t why_size)
{
    struct uart_sink *s = memory;
    uint8_t *buffers = (uint8_t *)memory + state_bytes(params->nr_cpus);

    if (!uart_init(&params->uart, params->divisor)) {
        format_text(why, why_size, "no UART answers there");
        return NULL;
    }
    __builtin_memset(memory, 0, state_bytes(params->nr_cpus));
    s->sink.ops = &uart_ops;
    s->sink.nr_cpus = params->nr_cpus;
    s->uart = params->uart;
    s->header.stream_id = params->stream_id;
    s->seq = (uint32_t)params->first.frame;
    s->header.version = params->compresses ? FRAME_PACKED_VERSION : FRAME_VERSION;
    if (params->compresses) {
        s->packer = (struct uart_packer *)(buffers + (size_t)params->nr_cpus * params->record_bytes);
    }
    if (params->stall_tsc != 0) {
        sink_cut_init(&s->sink, &s->cut, params->stall_tsc, &s->written, uart_taken);
    }
    for (uint16_t cpu = 0; cpu < params->nr_cpus; cpu++) {
        uint8_t *buffer = buffers + (size_t)cpu * params->record_bytes;

        s->cpus[cpu].records = (struct record_queue){.sent = params->first.records,
                                                     .end = params->first.records,
                                                     .va = buffer,
                                                     .pa = virt_to_phys(buffer),
                                                     .size = params->record_bytes};
        s->cpus[cpu].trace.sent = params->first.trace;
    }
    return &s->sink;
}
