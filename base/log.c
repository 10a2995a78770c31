/* Kind: shell */
/* Log lines: formatted here, written by the outputs that registered. */
#include "base/log.h"

#include "base/clock.h"
#include "base/init.h"
#include "base/io.h"
#include "base/lock.h"
#include "base/msr.h"

#define LOG_LINE_BYTES 512u /* a longer line is cut */
#define PANIC_SECONDS 2u    /* in which a line of a dump must reach the receiver */
#define CONSOLE_SECONDS 5u  /* in which another CPU must have written its line to a slow console */

struct log_text {
    char bytes[LOG_LINE_BYTES + LOG_TEXT_PADDING];
    size_t length;
};

static struct lock console_lock; /* one line at a time */
static bool guest_owns_console;
static log_show *log_console, *log_screen;
static const struct log_recorder *log_recorder;
static bool panic_in_recorder; /* a CPU records a line of its dump */

INIT_CODE void log_console_set(log_show *show)
{
    log_console = show;
}

INIT_CODE void log_screen_set(log_show *show)
{
    log_screen = show;
}

INIT_CODE void log_recorder_set(const struct log_recorder *recorder)
{
    log_recorder = recorder;
}

void log_guest_owns_console(void)
{
    guest_owns_console = true;
}

/* To console and screen; the caller holds the lock. */
static void show_line(const char *text, enum log_level level)
{
    if (log_console)
        log_console(text, level);
    if (log_screen)
        log_screen(text, level);
}

/* One line at a time. If the recorder itself faults, its CPU comes back here and gives up: the line before never ends.
 */
static bool panic_claim_recorder(uint64_t ticks)
{
    const uint64_t start = tsc_read();

    while (__atomic_exchange_n(&panic_in_recorder, true, __ATOMIC_ACQUIRE)) {
        if (tsc_read() - start >= ticks)
            return false;
        io_pause();
    }
    return true;
}

/* A receiver that is gone must not keep the rest of a dump from the console: after a line that did not arrive, no more
 * lines are recorded. */
static void panic_record(struct log_text *text)
{
    const struct log_recorder *recorder = log_recorder;
    const uint64_t ticks = PANIC_SECONDS * clock_tsc_hz();

    if (!recorder)
        return;
    if (!panic_claim_recorder(ticks)) {
        log_recorder = NULL;
        return;
    }
    if (!recorder->panic_line(text->bytes, text->length, ticks))
        log_recorder = NULL;
    __atomic_store_n(&panic_in_recorder, false, __ATOMIC_RELEASE);
}

void log_line(const char *format, ...)
{
    struct log_text text;
    va_list args;

    va_start(args, format);
    text.length = format_text_v(text.bytes, LOG_LINE_BYTES, format, args);
    va_end(args);
    if (!guest_owns_console) {
        const uint32_t ticket = lock_take(&console_lock);

        show_line(text.bytes, LOG_NORMAL);
        lock_release(&console_lock, ticket);
    }

    const struct log_recorder *recorder = log_recorder; /* a dump on another CPU may clear it */

    if (recorder)
        recorder->line(text.bytes, text.length);
}

void log_panic(const char *format, ...)
{
    struct log_text text;
    va_list args;

    va_start(args, format);
    text.length = format_text_v(text.bytes, LOG_LINE_BYTES, format, args);
    va_end(args);

    const uint32_t ticket = lock_take_by_force(&console_lock, CONSOLE_SECONDS * clock_tsc_hz());

    show_line(text.bytes, guest_owns_console ? LOG_PANIC_OVER_GUEST : LOG_PANIC);
    lock_release(&console_lock, ticket);
    panic_record(&text);
}
