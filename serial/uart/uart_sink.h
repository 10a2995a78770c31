/*
 * channel=uart: frames over a 16550, one way. Nothing comes back, so a byte that has been written to the UART counts as
 * delivered; the receiver sees a byte that was lost by the CRCs and the stream offsets. A UART that takes no more bytes
 * is cut as serial/wire/sink_cut.h says; what is delivered is what it has taken. Shell.
 */
#ifndef SERIAL_UART_UART_SINK_H
#define SERIAL_UART_UART_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "serial/uart/uart.h"
#include "serial/wire/sink.h"

struct uart_sink_params {
    struct uart uart;
    uint32_t divisor;      /* as of uart_init */
    uint32_t stream_id;    /* names this boot */
    uint16_t nr_cpus;      /* CPUs that trace and make records, from 0 */
    uint64_t stall_tsc;    /* TSC ticks that root waits for a UART that takes nothing; 0: for ever */
    uint32_t record_bytes; /* buffer for records not yet sent, per CPU: a power of two, at least 16 KiB */
};

/* Bytes that uart_sink_init needs. */
size_t uart_sink_memory_bytes(uint16_t nr_cpus, uint32_t record_bytes);

/* memory: page-aligned, in the direct map. NULL: no UART answers; why says so, without a prefix. */
struct sink *uart_sink_init(void *memory, const struct uart_sink_params *params, char *why, size_t why_size);

#endif
