/* The 16550 UART, polled. Shell. */
#include "serial/uart.h"

#include "boot/acts.h"
#include "serial/io.h"

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

/* A port read takes about a microsecond on the LPC bus. */
#define PUT_TRIES 1000000u

static uint16_t uart_register(uint16_t port, unsigned index)
{
    return (uint16_t)(port + index);
}

SECOND_ACT bool uart_init(uint16_t port, uint32_t baud)
{
    uint32_t divisor = UART_BAUD_BASE / baud;

    io_out8(uart_register(port, UART_SCR), 0x5a);
    if (io_in8(uart_register(port, UART_SCR)) != 0x5a) {
        return false;
    }
    io_out8(uart_register(port, UART_IER), 0);
    io_out8(uart_register(port, UART_LCR), LCR_8N1 | LCR_DLAB);
    io_out8(uart_register(port, UART_THR), (uint8_t)divisor);
    io_out8(uart_register(port, UART_IER), (uint8_t)(divisor >> 8));
    io_out8(uart_register(port, UART_LCR), LCR_8N1);
    io_out8(uart_register(port, UART_FCR), FCR_ENABLE_AND_CLEAR);
    io_out8(uart_register(port, UART_MCR), MCR_DTR_RTS);
    return true;
}

bool uart_fifo_empty(uint16_t port)
{
    return (io_in8(uart_register(port, UART_LSR)) & LSR_THRE) != 0;
}

bool uart_idle(uint16_t port)
{
    return (io_in8(uart_register(port, UART_LSR)) & LSR_TEMT) != 0;
}

bool uart_read(uint16_t port, uint8_t *byte)
{
    if ((io_in8(uart_register(port, UART_LSR)) & LSR_DR) == 0) {
        return false;
    }
    *byte = io_in8(uart_register(port, UART_RBR));
    return true;
}

void uart_write(uint16_t port, uint8_t byte)
{
    io_out8(uart_register(port, UART_THR), byte);
}

void uart_put(uint16_t port, uint8_t byte)
{
    for (uint32_t tries = 0; tries < PUT_TRIES; tries++) {
        if (uart_fifo_empty(port)) {
            uart_write(port, byte);
            return;
        }
        io_pause();
    }
}
