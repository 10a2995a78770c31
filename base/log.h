/*
 * Log lines: one line of text for people, on the boot console (until the guest owns it) and as a RECORD_LOG.
 *
 * Leaf header: any room's shell may use it. The formatter (base/format.c) is core and knows
 * %s %c %d %u %x %ld %lu %lx %llu %llx %p %%, a width, and '0' and '-' flags.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;
struct uart;

/* Format into buffer, always NUL-terminated. Returns the length without the NUL, at most size - 1. Core. */
size_t format_text(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t format_text_v(char *buffer, size_t size, const char *format, va_list args);

/* Where lines go. uart NULL: no console; divisor: as of uart_init. sink NULL: no records. Console and screen are
 * left alone once the guest runs. */
void log_console_set(const struct uart *uart, uint32_t divisor);
void log_sink_set(struct sink *sink);
void log_guest_owns_console(void);

/* LOG_PANIC_WORDS: of log_panic; LOG_LAST_WORDS: the same once the guest owns the console. */
enum log_words { LOG_WORDS, LOG_PANIC_WORDS, LOG_LAST_WORDS };

/* Who shows a line beside the console, one CPU at a time. */
void log_screen_set(void (*show)(const char *line, enum log_words words));

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For fail-stop dumps only: as log_line, but on the console also when the guest owns it, and it returns when the
 * receiver has the line. Where that takes more than some seconds, the sink is not used again. Locks that a CPU has died
 * with are taken away from it. Any CPU may call either at any time: lines come out whole. */
void log_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
