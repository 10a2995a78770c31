/* Kind: shell */
/* The 16550 UART, polled. */
#include "serial/uart/uart.h"

#include "base/init.h"
#include "base/io.h"

enum {
    UART_THR = 0, /* transmitter holding register; with DLAB the divisor latch's low byte */
    UART_RBR = 0, /* receiver buffer register */
    UART_IER = 1, /* interrupt enable; with DLAB the divisor latch's high byte */
    UART_FCR = 2, /* FIFO control */
    UART_LCR = 3, /* line control */
    UART_MCR = 4, /* modem control */
    UART_LSR = 5, /* line status */
    UART_SCR = 7  /* scratch */
};

#define LCR_8N1 0x03u
#define LCR_DLAB 0x80u
#define FCR_ENABLE_AND_CLEAR 0x07u
#define MCR_DTR_RTS 0x03u
#define LSR_DR 0x01u
#define LSR_THRE 0x20u
#define LSR_TEMT 0x40u
/* What a removed device reads as. A UART without parity never has the parity error bit, bit 2, set. */
#define LSR_GONE 0xffu

/* A port read takes about a microsecond on the LPC bus. */
#define PUT_TRIES 1000000u

static uint8_t uart_get(const struct uart *uart, unsigned index)
{
    if (!uart->memory)
        return io_in8((uint16_t)(uart->port + index));
    return uart->wide ? (uint8_t)((const volatile uint32_t *)uart->memory)[index]
                      : ((const volatile uint8_t *)uart->memory)[index];
}

static void uart_set(const struct uart *uart, unsigned index, uint8_t value)
{
    if (!uart->memory)
        io_out8((uint16_t)(uart->port + index), value);
    else if (uart->wide)
        ((volatile uint32_t *)uart->memory)[index] = value;
    else
        ((volatile uint8_t *)uart->memory)[index] = value;
}

INIT_CODE bool uart_init(const struct uart *uart, uint32_t divisor)
{
    uart_set(uart, UART_SCR, 0x5a);
    if (uart_get(uart, UART_SCR) != 0x5a) {
        return false;
    }
    uart_set(uart, UART_IER, 0);
    uart_set(uart, UART_LCR, LCR_8N1 | LCR_DLAB);
    uart_set(uart, UART_THR, (uint8_t)divisor);
    uart_set(uart, UART_IER, (uint8_t)(divisor >> 8));
    uart_set(uart, UART_LCR, LCR_8N1);
    uart_set(uart, UART_FCR, FCR_ENABLE_AND_CLEAR);
    uart_set(uart, UART_MCR, MCR_DTR_RTS);
    return true;
}

/* A UART that was removed has no room and no bytes. */
static uint8_t line_status(const struct uart *uart)
{
    const uint8_t status = uart_get(uart, UART_LSR);

    return status == LSR_GONE ? 0 : status;
}

bool uart_fifo_empty(const struct uart *uart)
{
    return (line_status(uart) & LSR_THRE) != 0;
}

bool uart_idle(const struct uart *uart)
{
    return (line_status(uart) & LSR_TEMT) != 0;
}

bool uart_read(const struct uart *uart, uint8_t *byte)
{
    if ((line_status(uart) & LSR_DR) == 0) {
        return false;
    }
    *byte = uart_get(uart, UART_RBR);
    return true;
}

void uart_write(const struct uart *uart, uint8_t byte)
{
    uart_set(uart, UART_THR, byte);
}

bool uart_put(const struct uart *uart, uint8_t byte, bool wait)
{
    for (uint32_t tries = wait ? PUT_TRIES : 1; tries > 0; tries--) {
        if (uart_fifo_empty(uart)) {
            uart_write(uart, byte);
            return true;
        }
        io_pause();
    }
    return false;
}
