#include "decode/cli/text/info_json.h"

#include <inttypes.h>
#include <string.h>

#include "decode/cli/text/info_sums.h"
#include "decode/cli/text/remembered_text.h"
#include "decode/names/tasks.h"
#include "decode/report/cause_text.h"
#include "decode/report/json.h"

/* The next record of a kind. NULL: there is none. */
static const struct capture_record *next_of_kind(const struct capture *capture, size_t *position, enum record_kind kind)
{
    while (*position < capture->nr_records) {
        const struct capture_record *record = &capture->records[(*position)++];
        if (record->header.kind == kind)
            return record;
    }
    return NULL;
}

static const char *cause_name(uint32_t cause)
{
    static const char *const names[] = {
        [RECORD_GAP_STOPPED] = "stopped", [RECORD_GAP_ERROR] = "error", [RECORD_GAP_WIRE] = "wire",
        [RECORD_GAP_DROP] = "drop",       [RECORD_GAP_RING] = "ring",   [RECORD_GAP_COMMAND] = "command",
        [RECORD_GAP_OVERRUN] = "overrun", [RECORD_GAP_CUT] = "cut"};
    return cause < sizeof(names) / sizeof(names[0]) && names[cause] ? names[cause] : "unknown";
}

static void write_text(FILE *file, const char *name, struct record_text text, const char *indent, const char *after)
{
    char inner[16];
    snprintf(inner, sizeof(inner), "%s  ", indent);
    fprintf(file, "\"%s\": ", name);
    if (text.size == 0) {
        fprintf(file, "null%s", after);
        return;
    }
    fputs("{", file);
    text_write_json_fields(file, text, "", inner);
    fprintf(file, "\n%s}%s", indent, after);
}

static void write_records(FILE *file, const struct info_sums *sums)
{
    static const char *const names[INFO_KINDS] = {"other",
                                                  [RECORD_HELLO] = "hello",
                                                  [RECORD_PAGE] = "page",
                                                  [RECORD_DRAIN] = "drain",
                                                  [RECORD_GAP] = "gap",
                                                  [RECORD_LOG] = "log",
                                                  [RECORD_END] = "end",
                                                  [RECORD_STATUS] = "status",
                                                  [RECORD_SEEN] = "seen",
                                                  [RECORD_MAP] = "map",
                                                  [RECORD_TASK] = "task",
                                                  [RECORD_LOST] = "lost",
                                                  [RECORD_SEGMENT] = "segment",
                                                  [RECORD_CLOCK] = "clock"};
    fputs("\"records\": {", file);
    for (size_t i = 0; i < INFO_KINDS; i++)
        json_figure(file, names[i], figure_of(sums->records[i]), i + 1 < INFO_KINDS ? ", " : "}");
}

/* ahead is a signed number. */
static void write_clock(FILE *file, const struct cpu_clock *clock)
{
    fputs("\"clock\": [", file);
    for (size_t i = 0; i < clock->count; i++) {
        const struct cpu_clock_step *step = &clock->steps[i];
        fputs(i ? ", {" : "{", file);
        json_figure(file, "at", figure_of(step->at), ", ");
        fprintf(file, "\"ahead\": %" PRId64 ", ", (int64_t)step->ahead);
        json_figure(file, "error", figure_of(step->error), ", ");
        fprintf(file, "\"written\": %s}", step->written ? "true" : "false");
    }
    fputs("],\n     ", file);
}

static void write_stream(FILE *file, const struct capture *capture, unsigned cpu)
{
    struct info_sums sums;
    const struct capture_trace *trace = &capture->cpus[cpu];
    info_sum(&sums, capture, cpu);
    fprintf(file, "%s\n    {", cpu ? "," : "");
    json_figure(file, "cpu", figure_of(cpu), ", ");
    json_figure(file, "trace_bytes", (struct figure){trace->present, trace->size}, ", ");
    json_figure(file, "handed_over", figure_of(sums.handed_over), ",\n     ");
    write_records(file, &sums);
    fputs(",\n     ", file);
    if (cpu < CAPTURE_MAX_CPUS)
        write_clock(file, &capture->clocks[cpu]);
    write_text(file, "end", capture->ends[cpu], "     ", "}");
}

static void write_gap(FILE *file, const struct capture_record *record)
{
    struct record_gap gap;
    memcpy(&gap, record->payload, sizeof(gap));
    json_figure(file, "cpu", figure_of(record->header.cpu), ", ");
    json_figure(file, "at", figure_of(gap.at), ", ");
    json_figure(file, "bytes", (struct figure){gap.size > 0, gap.size}, ", ");
    json_figure(file, "tsc_ticks", (struct figure){gap.tsc_to > 0, gap.tsc_to - gap.tsc_from}, ", ");
    json_string(file, "cause", cause_name(gap.cause), ", ");
    json_string(file, "text", gap_cause_text(gap.cause), "}");
}

static void write_damages(FILE *file, const char *name, const struct damages *damages)
{
    static const char *const kinds[DAMAGE_NR_KINDS] = {
        [DAMAGE_BYTES] = "bytes",        [DAMAGE_CUT] = "cut",       [DAMAGE_CHECKSUM] = "checksum",
        [DAMAGE_NO_SUM] = "no_checksum", [DAMAGE_RECORD] = "record", [DAMAGE_INDEX] = "index",
        [DAMAGE_LOST] = "lost"};
    fprintf(file, "  \"%s\": [", name);
    for (size_t i = 0; i < damages->count && i < DAMAGES_KEPT; i++) {
        const struct damage *damage = &damages->items[i];
        fputs(i ? ",\n    {" : "\n    {", file);
        json_string(file, "file", damage->file, ", ");
        json_figure(file, "offset", figure_of(damage->offset), ", ");
        json_figure(file, "bytes", figure_of(damage->size), ", ");
        json_string(file, "kind", kinds[damage->kind], "}");
    }
    fputs(damages->count ? "\n  ],\n" : "],\n", file);
}

static void write_task(FILE *file, const struct capture_record *record, const struct task_seen *task)
{
    json_figure(file, "cpu", figure_of(record->header.cpu), ", ");
    json_figure(file, "at", figure_of(record->header.trace_offset), ", ");
    json_figure(file, "tsc", figure_of(task->tsc), ", ");
    fprintf(file, "\"cr3\": \"%" PRIx64 "\", ", task->space);
    json_figure(file, "pid", figure_of(task->tgid), ", ");
    json_figure(file, "thread", figure_of(task->pid), ", ");
    json_string(file, "comm", task->comm, ", ");
    fprintf(file, "\"borrows\": %s}", task->borrows ? "true" : "false");
}

static void write_tasks(FILE *file, const struct capture *capture)
{
    const struct capture_record *record;
    struct task_seen task;
    size_t position = 0, count = 0;
    fputs("  \"tasks\": [", file);
    while ((record = next_of_kind(capture, &position, RECORD_TASK))) {
        if (!task_read(&task, record))
            continue;
        fputs(count++ ? ",\n    {" : "\n    {", file);
        write_task(file, record, &task);
    }
    fputs(count ? "\n  ],\n" : "],\n", file);
}

void info_json(FILE *file, const struct capture *capture)
{
    const struct capture_record *record;
    size_t position = 0, count = 0;
    fputs("{\n  ", file);
    json_string(file, "capture", capture->directory, ",\n");
    fprintf(file, "  \"ended\": %s,\n", capture_ended(capture) ? "true" : "false");
    fprintf(file, "  \"checksums\": %s,\n", capture->checksums.present ? "true" : "false");
    write_damages(file, "damage", &capture->damages);
    write_damages(file, "without_checksum", &capture->unsummed);
    fputs("  ", file);
    json_figure(file, "events_left_over", figure_of(capture->events_left_over), ",\n  ");
    write_text(file, "hello", capture->hello, "  ", ",\n");
    fputs("  \"streams\": [", file);
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        write_stream(file, capture, cpu);
    fputs(capture->nr_cpus ? "\n  ],\n" : "],\n", file);
    write_tasks(file, capture);
    remembered_json(file, capture);
    fputs("  \"gaps\": [", file);
    for (; (record = next_of_kind(capture, &position, RECORD_GAP)); count++) {
        fputs(count ? ",\n    {" : "\n    {", file);
        write_gap(file, record);
    }
    fputs(count ? "\n  ],\n  \"log\": [" : "],\n  \"log\": [", file);
    for (position = count = 0; (record = next_of_kind(capture, &position, RECORD_LOG)); count++) {
        fputs(count ? ",\n    " : "\n    ", file);
        text_write_json(file, (struct record_text){(const char *)record->payload, record->header.length});
    }
    fputs(count ? "\n  ]\n}\n" : "]\n}\n", file);
}
