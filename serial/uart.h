/*
 * The 16550 UART, polled. Shell.
 *
 * Source: National Semiconductor PC16550D data sheet, section 8.0 "Registers"; names are the data sheet's.
 */
#ifndef SERIAL_UART_H
#define SERIAL_UART_H

#include <stdbool.h>
#include <stdint.h>

#define UART_FIFO_BYTES 16u
#define UART_BAUD_BASE 115200u /* the 1.8432 MHz crystal, divided by 16 */

/* Program 8N1 at baud (a divisor of 115200), FIFOs on and empty, no interrupts. false: no UART answers at port. */
bool uart_init(uint16_t port, uint32_t baud);

/* The transmitter FIFO is empty: UART_FIFO_BYTES bytes may be written without looking again. */
bool uart_fifo_empty(uint16_t port);

/* Everything has left the shift register too. */
bool uart_idle(uint16_t port);

/* Take a byte that has arrived. false: none has. */
bool uart_read(uint16_t port, uint8_t *byte);

/* Write one byte; the caller knows that there is room. */
void uart_write(uint16_t port, uint8_t byte);

/* Wait for room and write one byte. Gives up after about a second where a UART hangs, so that a console that broke
 * stops nobody. */
void uart_put(uint16_t port, uint8_t byte);

#endif
