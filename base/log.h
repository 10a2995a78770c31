/*
 * Log lines: one line of text for people, on the boot console (until the guest owns it) and as a record of the capture.
 * Outputs register themselves: serial/uart/uart_console.h, boot/screen/screen.h, serial/wire/log_record.h.
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

/* Format into buffer, always NUL-terminated. Returns the length without the NUL, at most size - 1. Core. */
size_t format_text(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t format_text_v(char *buffer, size_t size, const char *format, va_list args);

/* LOG_PANIC_WORDS: of log_panic; LOG_LAST_WORDS: the same once the guest owns the console. */
enum log_words { LOG_WORDS, LOG_PANIC_WORDS, LOG_LAST_WORDS };

/* Shows a line without its newline to people. Called by one CPU at a time. */
typedef void log_show(const char *line, enum log_words words);

/* Makes a record of a line. text has at least LOG_TEXT_PADDING bytes after length, which may be overwritten. */
struct log_recorder {
    void (*line)(char *text, size_t length);
    /* For a CPU that stops: returns when the receiver has the line; false: not within so many TSC ticks. */
    bool (*panic_line)(char *text, size_t length, uint64_t ticks);
};
#define LOG_TEXT_PADDING 8u

/* Register the outputs; NULL: none. Console and screen are not used for log_line once the guest runs. */
void log_console_set(log_show *show);
void log_screen_set(log_show *show);
void log_recorder_set(const struct log_recorder *recorder);
void log_guest_owns_console(void);

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For fail-stop dumps only. Unlike log_line it writes to the console even when the guest owns it, and returns when the
 * receiver has the line. If that takes more than some seconds, the recorder is not used again. Locks that a dead CPU
 * holds are taken from it. Any CPU may call either function at any time: lines are never mixed. */
void log_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
