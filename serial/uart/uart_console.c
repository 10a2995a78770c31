/* Kind: shell */
#include "serial/uart/uart_console.h"

#include "base/init.h"
#include "base/log.h"

#define LOG_PREFIX "undertrace: "

static struct uart console; /* set before the guest runs */
static bool
    console_hangs; /* there was no room for the last byte: do not wait until there is. Guarded by log.c's lock */

/* Waiting a second for one byte is acceptable; waiting for each byte of all log lines would take hours. */
static void console_put(char c)
{
    console_hangs = !uart_put(&console, (uint8_t)c, !console_hangs);
}

static void console_write(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            console_put('\r');
        console_put(*text);
    }
}

static void console_show(const char *line, enum log_level level)
{
    (void)level;
    console_write(LOG_PREFIX);
    console_write(line);
    console_write("\n");
}

INIT_CODE void uart_console_set(const struct uart *uart, uint32_t divisor)
{
    const bool answers = uart_init(uart, divisor);

    if (answers)
        console = *uart;
    log_console_set(answers ? console_show : NULL);
}
