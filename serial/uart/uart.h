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
#define UART_BAUD_BASE 115200u /* the 1.8432 MHz clock of a PC's UART, divided by 16 */
#define UART_BAUD_MAX 4000000u

/* Where the registers are. */
struct uart {
    uint16_t port; /* first I/O port, if memory is NULL. 0 and NULL: there is no UART */
    bool wide;     /* registers in memory have 4 bytes, not 1 */
    volatile void *memory;
};

/* Set 8N1 at clock / 16 / divisor baud, enable and clear the FIFOs, disable interrupts. false: there is no UART. */
bool uart_init(const struct uart *uart, uint32_t divisor);

/* Is the transmitter FIFO empty? Then UART_FIFO_BYTES bytes may be written without another check. */
bool uart_fifo_empty(const struct uart *uart);

/* Is the shift register empty too? */
bool uart_idle(const struct uart *uart);

/* Read a received byte. false: there is none. */
bool uart_read(const struct uart *uart, uint8_t *byte);

/* Write a byte; there must be room. */
void uart_write(const struct uart *uart, uint8_t byte);

/* Write a byte. If there is no room, wait for up to about a second, or not at all if wait is false. false: there was no
 * room. */
bool uart_put(const struct uart *uart, uint8_t byte, bool wait);

#endif
