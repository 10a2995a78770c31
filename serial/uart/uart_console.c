/* Kind: shell */
#include "serial/uart/uart_console.h"

#include "base/init.h"
#include "base/log.h"

#define LOG_PREFIX "undertrace: "

static struct uart console; /* set before the guest runs */
static bool console_hangs;  /* it had no room for its last byte: do not wait for it again until it has; log.c's lock */

/* Waiting a second for one byte is acceptable. For each byte of a boot's lines it would take hours. */
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
