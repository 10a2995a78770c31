/* Kind: shell, init */
#include "boot/selftest/selftest_wire.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/phys.h"
#include "pt/packet/packet.h"
#include "serial/wire/record.h"

#define BLOCK_BYTES (64u << 10)
#define NR_BLOCKS (SELFTEST_WIRE_BYTES / BLOCK_BYTES)
#define SENT_BYTES_MAX (64ull << 20)
#define SEND_SECONDS_MAX 5u  /* a serial line at 115200 baud sends about 11 KB/s */
#define IDLE_SECONDS_MAX 10u /* without an acknowledgement */

/* A valid PT stream in which each part shows its position: PSB, PSBEND, then MNT packets whose payload is their own
 * offset in the pattern. */
static void fill_block(uint8_t *block, uint64_t at)
{
    struct packet packet = {.kind = PT_PACKET_PSB};
    size_t used = packet_encode(block, &packet);

    packet.kind = PT_PACKET_PSBEND;
    used += packet_encode(block + used, &packet);
    packet.kind = PT_PACKET_MNT;
    while (used + PT_PACKET_MAX_SIZE <= BLOCK_BYTES) {
        packet.payload = at + used;
        used += packet_encode(block + used, &packet);
    }
    memset(block + used, 0, BLOCK_BYTES - used); /* PAD */
}

/* Keep memory full of blocks in flight; a block's memory is reused once the receiver has acknowledged it. Returns the
 * bytes sent, 0 if not all were acknowledged. */
static uint64_t send_blocks(struct sink *sink, uint8_t *memory)
{
    const uint64_t hz = clock_tsc_hz(), start = tsc_read();
    uint64_t sent = 0, released = 0, moved = start;

    for (;;) {
        const uint64_t now = tsc_read(), arrived = sink_released(sink, 0);
        if (arrived != released) {
            released = arrived;
            moved = now;
        }
        const bool over = sent >= SENT_BYTES_MAX || now - start > SEND_SECONDS_MAX * hz;
        if ((over && released == sent) || now - moved > IDLE_SECONDS_MAX * hz)
            return released == sent ? sent : 0;
        if (!over && sent - released <= SELFTEST_WIRE_BYTES - BLOCK_BYTES) {
            uint8_t *block = memory + sent % SELFTEST_WIRE_BYTES;
            sink_trace(sink, 0, sent, block, virt_to_phys(block), BLOCK_BYTES);
            sent += BLOCK_BYTES;
        }
        sink_poll(sink);
    }
}

static uint64_t sent_bytes;

bool selftest_wire(struct sink *sink, uint8_t *memory)
{
    for (uint32_t i = 0; i < NR_BLOCKS; i++)
        fill_block(memory + i * BLOCK_BYTES, i * BLOCK_BYTES);
    const uint64_t start = tsc_read();
    sent_bytes = send_blocks(sink, memory);
    if (sent_bytes == 0) {
        log_line("selftest: wire: the receiver acknowledged nothing for %u seconds", IDLE_SECONDS_MAX);
        return false;
    }
    uint64_t ms = (tsc_read() - start) / (clock_tsc_hz() / 1000);
    log_line("selftest: wire: %lu KiB in %lu ms, %lu KB/s", sent_bytes >> 10, ms, sent_bytes / (ms ? ms : 1));
    return true;
}

static void end_record(struct sink *sink, uint16_t cpu)
{
    const uint64_t bytes = cpu == 0 ? sent_bytes : 0;
    struct {
        struct record_header header;
        char text[64];
    } record = {.header = {.kind = RECORD_END, .cpu = cpu, .trace_offset = bytes, .tsc = tsc_read()}};

    record.header.length = (uint32_t)format_text(record.text, sizeof record.text, "trace_bytes %lu\n", bytes);
    sink_record(sink, cpu, &(struct sink_piece){&record, (sizeof record.header + record.header.length + 7) & ~7u}, 1);
}

void selftest_wire_end(struct sink *sink)
{
    for (uint16_t cpu = 0; cpu < sink->nr_cpus; cpu++)
        end_record(sink, cpu);
    if (!sink_drain(sink, IDLE_SECONDS_MAX * clock_tsc_hz()))
        log_line("selftest: the receiver did not acknowledge the end");
}
