/* Log lines: to the boot console, and as records into the sink. Shell. */
#include "serial/log.h"

#include "pt/msr.h"
#include "serial/clock.h"
#include "serial/record.h"
#include "serial/sink.h"
#include "serial/uart.h"

#define LOG_PREFIX "undertrace: "
#define LOG_LINE_BYTES 512u /* a longer line is cut */
#define PANIC_SECONDS 2u    /* that a line of a dump may take to its receiver */

/* A record of one line, as it stands on the wire. */
struct log_record {
    struct record_header header;
    char text[LOG_LINE_BYTES];
};
_Static_assert(sizeof(struct log_record) % 8 == 0, "a record is a multiple of 8 bytes");

static uint16_t console_port;
static bool guest_owns_console;
static struct sink *log_sink;

void log_console_set(uint16_t uart_port, uint32_t baud)
{
    console_port = uart_port != 0 && uart_init(uart_port, baud) ? uart_port : 0;
}

void log_sink_set(struct sink *sink)
{
    log_sink = sink;
}

void log_guest_owns_console(void)
{
    guest_owns_console = true;
}

static void console_write(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            uart_put(console_port, '\r');
        }
        uart_put(console_port, (uint8_t)*text);
    }
}

static void console_line(const char *text)
{
    if (console_port != 0) {
        console_write(LOG_PREFIX);
        console_write(text);
        console_write("\n");
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
    sink->ops->record(sink, 0, record, (uint32_t)(sizeof(record->header) + padded));
}

/* A receiver that is gone must not keep the rest of a dump from the console, nor must a fault in the sink come back
 * here: while the line is on its way, and after it did not arrive, there is no sink. */
static void sink_panic_line(struct log_record *record, size_t length)
{
    struct sink *sink = log_sink;
    uint64_t timeout = PANIC_SECONDS * clock_tsc_hz();

    log_sink = NULL;
    if (!sink->ops->drain(sink, timeout)) {
        return;
    }
    sink_line(sink, record, length);
    if (sink->ops->drain(sink, timeout)) {
        log_sink = sink;
    }
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
        console_line(record.text);
    }
    if (log_sink != NULL) {
        sink_line(log_sink, &record, length);
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
    console_line(record.text);
    if (log_sink != NULL) {
        sink_panic_line(&record, length);
    }
}
