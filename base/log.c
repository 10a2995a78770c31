/* Kind: shell */
/* Log lines: to the boot console, and as records into the sink. Shell. */
#include "base/log.h"

#include "base/clock.h"
#include "base/init.h"
#include "base/io.h"
#include "base/lock.h"
#include "base/msr.h"
#include "serial/uart/uart.h"
#include "serial/wire/record.h"
#include "serial/wire/sink.h"

#define LOG_PREFIX "undertrace: "
#define LOG_LINE_BYTES 512u /* a longer line is cut */
#define PANIC_SECONDS 2u    /* that a line of a dump may take to its receiver */
#define CONSOLE_SECONDS 5u  /* that a line of another CPU's may take to a slow console */

/* A record of one line, as it stands on the wire. */
struct log_record {
    struct record_header header;
    char text[LOG_LINE_BYTES];
};
_Static_assert(sizeof(struct log_record) % 8 == 0, "a record is a multiple of 8 bytes");

static struct uart console;
static struct lock console_lock; /* a line at a time */
static bool console_hangs;       /* it had no room for its last byte: nobody waits for it again until it has */
static bool guest_owns_console;
static struct sink *log_sink;
static void (*log_screen)(const char *line, enum log_words words);
static bool panic_in_sink; /* a CPU's line of a dump is on its way */

INIT_CODE void log_console_set(const struct uart *uart, uint32_t divisor)
{
    console = uart && uart_init(uart, divisor) ? *uart : (struct uart){0};
}

static bool has_console(void)
{
    return console.port != 0 || console.memory;
}

INIT_CODE void log_sink_set(struct sink *sink)
{
    log_sink = sink;
}

INIT_CODE void log_screen_set(void (*show)(const char *line, enum log_words words))
{
    log_screen = show;
}

void log_guest_owns_console(void)
{
    guest_owns_console = true;
}

/* A second for one byte is patience, for each byte of a boot's lines it would be hours. */
static void console_put(char c)
{
    console_hangs = !uart_put(&console, (uint8_t)c, !console_hangs);
}

static void console_write(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            console_put('\r');
        }
        console_put(*text);
    }
}

/* To console and screen; the caller has the lock. */
static void show_line(const char *text, enum log_words words)
{
    if (has_console()) {
        console_write(LOG_PREFIX);
        console_write(text);
        console_write("\n");
    }
    if (log_screen != NULL) {
        log_screen(text, words);
    }
}

/* Log lines travel in CPU 0's record stream. They belong to no place in the trace: trace_offset is 0. */
static void sink_line(struct sink *sink, struct log_record *record, size_t length)
{
    size_t padded = (length + 7) & ~(size_t)7;

    record->header = (struct record_header){.kind = RECORD_LOG, .length = (uint32_t)length, .tsc = tsc_read()};
    for (size_t i = length; i < padded; i++) {
        record->text[i] = '\0';
    }
    sink_record(sink, 0, &(struct sink_piece){record, (uint32_t)(sizeof(record->header) + padded)}, 1);
}

/* One line at a time. A fault in the sink comes back here and gets no further: the line before it is on its way for
 * ever. */
static bool panic_claim_sink(uint64_t timeout)
{
    const uint64_t start = tsc_read();

    while (__atomic_exchange_n(&panic_in_sink, true, __ATOMIC_ACQUIRE)) {
        if (tsc_read() - start >= timeout) {
            return false;
        }
        io_pause();
    }
    return true;
}

/* false: the receiver did not get it in time. */
static bool panic_line_delivered(struct sink *sink, struct log_record *record, size_t length, uint64_t timeout)
{
    sink_unlock_dead(sink, timeout);
    if (!sink_drain(sink, timeout)) {
        return false;
    }
    sink_line(sink, record, length);
    return sink_drain(sink, timeout);
}

/* A receiver that is gone must not keep the rest of a dump from the console: after a line that did not arrive there is
 * no sink. */
static void sink_panic_line(struct log_record *record, size_t length)
{
    struct sink *sink = log_sink;
    const uint64_t timeout = PANIC_SECONDS * clock_tsc_hz();

    if (sink == NULL) {
        return;
    }
    if (!panic_claim_sink(timeout)) {
        log_sink = NULL;
        return;
    }
    if (!panic_line_delivered(sink, record, length, timeout)) {
        log_sink = NULL;
    }
    __atomic_store_n(&panic_in_sink, false, __ATOMIC_RELEASE);
}

void log_line(const char *format, ...)
{
    struct log_record record;
    size_t length;
    va_list args;

    va_start(args, format);
    length = format_text_v(record.text, sizeof(record.text), format, args);
    va_end(args);
    if (!guest_owns_console) {
        const uint32_t ticket = lock_take(&console_lock);

        show_line(record.text, LOG_WORDS);
        lock_release(&console_lock, ticket);
    }

    struct sink *sink = log_sink; /* a dump on another CPU may take it away */

    if (sink != NULL) {
        sink_line(sink, &record, length);
    }
}

void log_panic(const char *format, ...)
{
    struct log_record record;
    size_t length;
    va_list args;

    va_start(args, format);
    length = format_text_v(record.text, sizeof(record.text), format, args);
    va_end(args);

    const uint32_t ticket = lock_take_by_force(&console_lock, CONSOLE_SECONDS * clock_tsc_hz());

    show_line(record.text, guest_owns_console ? LOG_LAST_WORDS : LOG_PANIC_WORDS);
    lock_release(&console_lock, ticket);
    sink_panic_line(&record, length);
}
