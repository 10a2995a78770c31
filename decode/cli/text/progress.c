#include "decode/cli/text/progress.h"
#include "decode/report/number_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/cli/message.h"
#include "decode/cli/text/console_tail.h"

#define LIVE_SECONDS 0.25
#define LOG_SECONDS 10.0
#define STATUS_SECONDS 1.0

struct progress {
    char *status, *status_part;
    bool quiet, live, status_failed;
    double started, shown, written; /* written: when the status file was */
    uint64_t shown_bytes;
    double rate; /* trace bytes per second since the last line */
    struct console_tail console;
    const char *note;
    void (*draw)(void *context, const struct progress_state *state); /* NULL: print lines */
    void *draw_context;
};

/* false: it cannot be written; errno says why. */
static bool write_status(struct progress *progress, const char *phase, const struct store_totals *totals, double now)
{
    FILE *file = fopen(progress->status_part, "we");
    if (!file)
        return false;
    fprintf(file,
            "{\"phase\": \"%s\", \"seconds\": %.1f, \"trace_bytes\": %" PRIu64
            ", \"bytes_per_second\": %.0f, \"regions\": %" PRIu64 ", \"code_pages\": %" PRIu64 ", \"gaps\": %" PRIu64
            ", \"ended\": %s, \"cpus\": [",
            phase, now - progress->started, totals->trace_bytes, progress->rate, totals->drains, totals->pages,
            totals->gaps, totals->ended ? "true" : "false");
    for (unsigned cpu = 0; cpu < totals->nr_cpus; cpu++)
        fprintf(file, "%s{\"trace_bytes\": %" PRIu64 ", \"ended\": %s}", cpu ? ", " : "", totals->cpus[cpu].trace_bytes,
                totals->cpus[cpu].ended ? "true" : "false");
    fputs("]}\n", file);
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    return good && rename(progress->status_part, progress->status) == 0;
}

/* A failure during reception is reported only once: the reception is more important. */
static void keep_status(struct progress *progress, const char *phase, const struct store_totals *totals, double now)
{
    if (!progress->status || progress->status_failed || write_status(progress, phase, totals, now))
        return;
    message_errno("%s: the status cannot be written", progress->status);
    progress->status_failed = true;
}

static void progress_free(struct progress *progress)
{
    free(progress->status);
    free(progress->status_part);
    free(progress);
}

struct progress *progress_start(const char *status, const char *console, bool quiet)
{
    static const struct store_totals none;
    struct progress *progress = calloc(1, sizeof(*progress));
    if (!progress ||
        (status && (!(progress->status = strdup(status)) || asprintf(&progress->status_part, "%s.part", status) < 0))) {
        message_print("receive: out of memory");
        free(progress);
        return NULL;
    }
    progress->quiet = quiet;
    progress->live = isatty(STDERR_FILENO);
    progress->console.file = console;
    progress->started = progress->shown = monotonic_seconds();
    keep_status(progress, "waiting", &none, progress->started);
    if (!progress->status_failed)
        return progress;
    progress_free(progress);
    return NULL;
}

static int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

/* The bytes of each stream, if there are several: " (0: 1.23 MiB, 1: 45 KiB end)". */
static void list_streams(char *text, size_t size, const struct store_totals *totals)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned cpu = 0; cpu < totals->nr_cpus && totals->nr_cpus > 1 && used < size; cpu++) {
        char bytes[BYTES_TEXT_SIZE];
        used += (size_t)snprintf(text + used, size - used, "%s%u: %s%s%s", cpu ? ", " : "  (", cpu,
                                 bytes_text(bytes, totals->cpus[cpu].trace_bytes),
                                 totals->cpus[cpu].ended ? " end" : "", cpu + 1 == totals->nr_cpus ? ")" : "");
    }
}

static void print_line(struct progress *progress, const char *phase, const struct store_totals *totals, double now)
{
    char received[BYTES_TEXT_SIZE], rate[BYTES_TEXT_SIZE], streams[256], line[640];
    list_streams(streams, sizeof(streams), totals);
    const char *console = progress->console.last;
    int length = snprintf(line, sizeof(line), "%s %.0f s  %s%s  %s/s  %" PRIu64 " region%s  %" PRIu64 " page%s%s%s%s%s",
                          phase, now - progress->started, bytes_text(received, totals->trace_bytes), streams,
                          bytes_text(rate, (uint64_t)progress->rate), totals->drains, plural(totals->drains),
                          totals->pages, plural(totals->pages), progress->note ? "  " : "",
                          progress->note ? progress->note : "", console[0] ? "  | " : "", console);
    if (!progress->live) {
        fprintf(stderr, "undertrace: %s\n", line);
        return;
    }
    int columns = terminal_columns() - 1;
    fprintf(stderr, "\r\033[K%.*s", length < columns ? length : columns, line);
    fflush(stderr);
}

static void show_line(struct progress *progress, const char *phase, const struct store_totals *totals, double now)
{
    double seconds = now - progress->shown;
    if (seconds > 0.01)
        progress->rate = (double)(totals->trace_bytes - progress->shown_bytes) / seconds;
    progress->shown = now;
    progress->shown_bytes = totals->trace_bytes;
    console_tail_read(&progress->console);
    if (progress->draw)
        progress->draw(
            progress->draw_context,
            &(struct progress_state){phase, progress->console.last, now - progress->started, progress->rate, totals});
    else if (!progress->quiet)
        print_line(progress, phase, totals, now);
}

void progress_draw_by(struct progress *progress, void (*draw)(void *context, const struct progress_state *state),
                      void *context)
{
    progress->draw = draw;
    progress->draw_context = context;
}

void progress_note(struct progress *progress, const char *note)
{
    progress->note = note;
}

void progress_show(void *context, enum reception_phase at, const struct store_totals *totals)
{
    static const char *const words[] = {
        [RECEPTION_WAITING] = "waiting", [RECEPTION_RECEIVING] = "receiving", [RECEPTION_HAS_END] = "ended"};
    struct progress *progress = context;
    const char *phase = words[at];
    double now = monotonic_seconds();
    if (now - progress->shown >= (progress->live ? LIVE_SECONDS : LOG_SECONDS))
        show_line(progress, phase, totals, now);
    if (now - progress->written >= STATUS_SECONDS) {
        progress->written = now;
        keep_status(progress, phase, totals, now);
    }
}

void progress_end(struct progress *progress, const char *phase, const struct store_totals *totals)
{
    double now = monotonic_seconds();
    progress->shown = progress->started;
    progress->shown_bytes = 0; /* the last line has the average rate */
    show_line(progress, phase, totals, now);
    if (progress->live && !progress->quiet)
        fputc('\n', stderr);
    keep_status(progress, phase, totals, now);
    progress_free(progress);
}
