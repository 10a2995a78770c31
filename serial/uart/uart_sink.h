/*
 * channel=uart: frames over a 16550. There are no acknowledgements: a byte counts as delivered when it was written to
 * the UART, and the receiver detects lost bytes by CRCs and stream offsets. A UART that takes no more bytes is cut off
 * (serial/wire/sink_cut.h). In the other direction only commands are sent. Shell.
 */
#ifndef SERIAL_UART_UART_SINK_H
#define SERIAL_UART_UART_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "serial/uart/uart.h"
#include "serial/wire/first.h"
#include "serial/wire/sink.h"

struct uart_sink_params {
    struct uart uart;
    uint32_t divisor;   /* for uart_init */
    uint32_t stream_id; /* identifies this boot */
    struct wire_first first;
    uint16_t nr_cpus;      /* CPUs that trace and make records, from 0 */
    uint64_t stall_tsc;    /* longest wait, in TSC ticks, for a UART that takes no bytes; 0: for ever */
    uint32_t record_bytes; /* buffer for records not yet sent, per CPU: a power of two, at least 16 KiB */
    bool compresses;       /* uart.compress=lz4 */
};

/* Bytes that uart_sink_init needs. */
size_t uart_sink_memory_bytes(uint16_t nr_cpus, uint32_t record_bytes, bool compresses);

/* memory: page-aligned, in the direct map. NULL: there is no UART, and why has this reason, without a prefix. */
struct sink *uart_sink_init(void *memory, const struct uart_sink_params *params, char *why, size_t why_size);

#endif
