/* Kind: shell */
#include "serial/wire/log_record.h"

#include <string.h>

#include "base/init.h"
#include "base/log.h"
#include "base/trace_clock.h"
#include "serial/wire/record.h"

_Static_assert(LOG_TEXT_PADDING == 8, "a record is a multiple of 8 bytes");

static struct sink *log_sink; /* set before the guest runs */

uint64_t log_record_tsc(void)
{
    return trace_clock_here() + trace_clock_cpus[0].ahead;
}

/* Log lines are records of CPU 0. They have no position in the trace: trace_offset is 0. */
static void record_line(char *text, size_t length)
{
    const size_t padded = (length + 7) & ~(size_t)7;
    struct record_header header = {.kind = RECORD_LOG, .length = (uint32_t)length, .tsc = log_record_tsc()};

    memset(text + length, 0, padded - length);
    sink_record(log_sink, 0, (const struct sink_piece[]){{&header, sizeof(header)}, {text, (uint32_t)padded}}, 2);
}

static bool record_panic_line(char *text, size_t length, uint64_t ticks)
{
    sink_unlock_dead(log_sink, ticks);
    if (!sink_drain(log_sink, ticks))
        return false;
    record_line(text, length);
    return sink_drain(log_sink, ticks);
}

static const struct log_recorder recorder = {record_line, record_panic_line};

INIT_CODE void log_record_to(struct sink *sink)
{
    log_sink = sink;
    log_recorder_set(&recorder);
}
