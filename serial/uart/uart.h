/*
 * The 16550 UART, polled. Shell.
 *
 * Source: National Semiconductor PC16550D data sheet, section 8.0 "Registers"; names are the data sheet's.
 */
#ifndef SERIAL_UART_UART_H
#define SERIAL_UART_UART_H

#include <stdbool.h>
#include <stdint.h>

#define UART_FIFO_BYTES 16u
#define UART_BAUD_BASE 115200u /* the 1.8432 MHz crystal of a PC's, divided by 16 */
#define UART_BAUD_MAX 4000000u

/* How its registers are reached. */
struct uart {
    uint16_t port; /* of the first one; where memory is NULL. 0 and NULL: there is no UART */
    bool wide;     /* in memory: 4 bytes each, not 1 */
    volatile void *memory;
};

/* Program 8N1 at the clock / 16 / divisor, FIFOs on and empty, no interrupts. false: no UART answers there. */
bool uart_init(const struct uart *uart, uint32_t divisor);

/* The transmitter FIFO is empty: UART_FIFO_BYTES bytes may be written without looking again. */
bool uart_fifo_empty(const struct uart *uart);

/* Everything has left the shift register too. */
bool uart_idle(const struct uart *uart);

/* Take a byte that has arrived. false: none has. */
bool uart_read(const struct uart *uart, uint8_t *byte);

/* Write one byte; the caller knows that there is room. */
void uart_write(const struct uart *uart, uint8_t byte);

/* Wait for room and write one byte. false: the UART hangs, it had none for about a second; or, where wait is false, it
 * has none now. */
bool uart_put(const struct uart *uart, uint8_t byte, bool wait);

#endif
