/*
 * Log lines: text on the boot console (until the guest owns it) and as records of the capture. The outputs register
 * themselves: serial/uart/uart_console.h, boot/screen/screen.h, serial/wire/log_record.h.
 *
 * Formats (base/format.c): %s %c %d %u %x %ld %lu %lx %llu %llx %p %%, a width, and the flags '0' and '-'.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Format into buffer, always NUL-terminated. Returns the length without the NUL, at most size - 1. */
size_t format_text(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t format_text_v(char *buffer, size_t size, const char *format, va_list args);

/* LOG_PANIC: from log_panic; LOG_PANIC_OVER_GUEST: the same while the guest owns the console. */
enum log_level { LOG_NORMAL, LOG_PANIC, LOG_PANIC_OVER_GUEST };

/* Shows a line, which has no newline. Called by one CPU at a time. */
typedef void log_show(const char *line, enum log_level level);

/* Records a line. text has at least LOG_TEXT_PADDING bytes after length, which may be overwritten. */
struct log_recorder {
    void (*line)(char *text, size_t length);
    /* For a CPU that stops: returns when the receiver has acknowledged the line. false: not within this number of TSC
     * ticks. */
    bool (*panic_line)(char *text, size_t length, uint64_t ticks);
};
#define LOG_TEXT_PADDING 8u

/* Register the outputs; NULL: none. After log_guest_owns_console, log_line uses only the recorder. */
void log_console_set(log_show *show);
void log_screen_set(log_show *show);
void log_recorder_set(const struct log_recorder *recorder);
void log_guest_owns_console(void);

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For fail-stop dumps only. Unlike log_line it writes to console and screen even if the guest owns them, and returns
 * when the receiver has acknowledged the line. After a line that the receiver does not acknowledge within two seconds,
 * the recorder is not used again. Locks held by a stopped CPU are taken from it. Any CPU may call either function at
 * any time: lines are never mixed. */
void log_panic(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
