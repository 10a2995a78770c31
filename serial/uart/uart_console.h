/* The boot console: log lines to a 16550 UART. */
#ifndef SERIAL_UART_UART_CONSOLE_H
#define SERIAL_UART_UART_CONSOLE_H

#include "serial/uart/uart.h"

/* Write log lines to this UART from now on. divisor: for uart_init. If there is no UART, there is no console. */
void uart_console_set(const struct uart *uart, uint32_t divisor);

#endif
