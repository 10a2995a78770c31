/* Receives the bytes of a serial line. */
#ifndef DECODE_RECEIVE_UART_H
#define DECODE_RECEIVE_UART_H

#include "decode/receive/reception.h"

/* source: a file that grows, FIFO, terminal (set to raw at baud), UNIX socket, HOST:PORT, or "-". */
enum reception_outcome receive_uart(struct reception *reception, const char *source, uint32_t baud);

#endif
