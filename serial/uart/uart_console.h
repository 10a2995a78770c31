/* The boot console: log lines to a 16550 UART. */
#ifndef SERIAL_UART_UART_CONSOLE_H
#define SERIAL_UART_UART_CONSOLE_H

#include "serial/uart/uart.h"

/* From now on log lines go to this UART. divisor: as of uart_init. If no UART answers there, there is no console. */
void uart_console_set(const struct uart *uart, uint32_t divisor);

#endif
