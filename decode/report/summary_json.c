#include <inttypes.h>
#include <string.h>

#include "decode/report/cause_text.h"
#include "decode/report/difference.h"
#include "decode/report/summary.h"

/* Write a member that is an object by reasons. */
static void exits_json(FILE *file, const struct exits *exits, bool ticks, const char *after)
{
    const bool known = ticks ? exits->timed : exits->known;
    fprintf(file, "\"%s\": %s", ticks ? "vm_exit_ticks" : "vm_exits", known ? "{" : "null");
    for (size_t i = 0; i < exits->count && known; i++) {
        fputs(i ? ", " : "", file);
        text_write_json(file, exits->items[i].name);
        fprintf(file, ": %" PRIu64, ticks ? exits->items[i].ticks : exits->items[i].count);
    }
    fprintf(file, "%s%s", known ? "}" : "", after);
}

/* Write the causes that occurred. */
static void gaps_json(FILE *file, const struct flow_gaps *gaps, const char *after)
{
    const char *before = "";
    fputs("\"decode_gaps\": {", file);
    json_figure(file, "count", figure_of(gaps->count), ", ");
    json_figure(file, "bytes", figure_of(gaps->bytes), ", ");
    fputs("\"causes\": {", file);
    for (enum flow_error i = FLOW_OK; i < FLOW_NR_ERRORS; i++) {
        if (gaps->by_cause[i] == 0)
            continue;
        fputs(before, file);
        json_figure(file, flow_error_text(i), figure_of(gaps->by_cause[i]), "");
        before = ", ";
    }
    fprintf(file, "}}%s", after);
}

/* Without a trace, nothing was compared. */
static bool is_compared(const struct summary *s, const struct summary_figures *f)
{
    return s->has_truth && f->trace_bytes > 0;
}

static void truth_json(FILE *file, const struct summary *s, const struct summary_figures *f)
{
    bool compared = is_compared(s, f);
    struct figure branches = {s->has_truth, f->truth.branches}, matched = {compared, f->truth.matched};
    const struct truth_difference none = {0};
    fputs("\"truth\": {", file);
    json_figure(file, "branches", branches, ", ");
    json_figure(file, "matched", matched, ", ");
    json_figure(file, "in_gaps", (struct figure){compared, f->truth.branches_in_gaps}, ", ");
    fputs("\"first_divergence\": ", file);
    difference_json(file, compared ? &f->truth.first : &none);
    fputs("},", file);
}

/* One TSC tick is one instruction in the emulator, which is the only source of instruction counts. */
static struct figure stall_instructions(const struct summary_figures *f)
{
    return (struct figure){f->stall_tsc.known && f->root_instructions.known, f->stall_tsc.value};
}

/* Write the figures of the trace and its decoding, each followed by the separator. */
static void figures_json(FILE *file, const struct summary_figures *f, const char *separator)
{
    json_figure(file, "trace_bytes", figure_of(f->trace_bytes), separator);
    json_figure(file, "regions", f->regions, separator);
    json_figure(file, "pmis", f->pmis, separator);
    json_figure(file, "overflows", figure_of(f->overflows), separator);
    json_figure(file, "gaps", figure_of(f->gaps), separator);
    json_figure(file, "gap_bytes", f->gap_bytes, separator);
    json_figure(file, "packets", figure_of(f->packets), separator);
    json_figure(file, "code_pages", figure_of(f->code_pages), separator);
    json_figure(file, "mappings", figure_of(f->mappings), separator);
    json_figure(file, "inferred", figure_of(f->inferred), separator);
    json_figure(file, "instructions", figure_of(f->instructions), separator);
    json_figure(file, "branches", figure_of(f->branches), separator);
    json_figure(file, "decode_errors", figure_of(f->decode_gaps.count), separator);
    gaps_json(file, &f->decode_gaps, separator);
}

/* Write one CPU in one line. */
static void cpu_json(FILE *file, const struct summary *s, unsigned cpu)
{
    const struct summary_figures *f = &s->per_cpu[cpu];
    bool compared = is_compared(s, f);
    fputs("{", file);
    json_figure(file, "cpu", figure_of(cpu), ", ");
    json_string(file, "result", f->complete ? "complete" : "incomplete", ", ");
    figures_json(file, f, ", ");
    truth_json(file, s, f);
    fputs(" ", file);
    json_figure(file, "intervals", (struct figure){compared, f->truth.intervals}, ", ");
    json_figure(file, "equal_intervals", (struct figure){compared, f->truth.equal_intervals}, ", ");
    json_figure(file, "exits", f->exits_total, ", ");
    exits_json(file, &f->exits, false, ", ");
    exits_json(file, &f->exits, true, ", ");
    json_figure(file, "guest_instructions", f->guest_instructions, ", ");
    json_figure(file, "root_instructions", f->root_instructions, ", ");
    json_figure(file, "stall_instructions", stall_instructions(f), "}");
}

/* null: not known. */
static void blackouts_json(FILE *file, const struct summary *s)
{
    fputs(s->blackouts_known ? "\"blackouts\": [" : "\"blackouts\": null,\n  ", file);
    for (size_t i = 0; s->blackouts_known && i < s->blackouts.count; i++) {
        const struct blackout *blackout = &s->blackouts.items[i];
        const uint64_t ticks = blackout_ticks(blackout);
        fprintf(file, "%s\n    {\"cpu\": %u, \"offset\": %" PRIu64 ", \"address\": \"%016" PRIx64 "\", ", i ? "," : "",
                blackout->cpu, blackout->offset, blackout->address);
        json_figure(file, "tsc", (struct figure){blackout->from != 0, blackout->from}, ", ");
        json_figure(file, "ticks", (struct figure){ticks != 0, ticks}, "}");
    }
    if (s->blackouts_known)
        fputs(s->blackouts.count ? "\n  ],\n  " : "],\n  ", file);
}

void summary_json(FILE *file, const struct summary *s)
{
    const struct summary_figures *f = &s->total;
    json_string(file, "guest", s->guest, ",\n  ");
    json_figure(file, "cpus", figure_of(s->cpus), ",\n  ");
    json_string(file, "result", f->complete ? "complete" : "incomplete", ",\n  ");
    figures_json(file, f, ",\n  ");
    truth_json(file, s, f);
    fputs("\n  ", file);
    exits_json(file, &f->exits, false, ",\n  ");
    exits_json(file, &f->exits, true, ",\n  ");
    blackouts_json(file, s);
    json_figure(file, "tsc_khz", (struct figure){s->tsc_khz != 0, s->tsc_khz}, ",\n  ");
    json_figure(file, "guest_instructions", f->guest_instructions, ",\n  ");
    json_figure(file, "root_instructions", f->root_instructions, ",\n  ");
    json_figure(file, "stall_instructions", stall_instructions(f), ",\n  ");
    json_figure(file, "image_bytes", s->image_bytes, ",\n  ");
    fputs("\"seconds\": {", file);
    json_seconds(file, "build", s->seconds_build, ", ");
    json_seconds(file, "boot", s->seconds_boot, ", ");
    json_seconds(file, "decode", s->seconds_decode, "},\n  \"per_cpu\": [");
    for (unsigned cpu = 0; cpu < s->cpus; cpu++) {
        fputs(cpu ? ",\n    " : "\n    ", file);
        cpu_json(file, s, cpu);
    }
    fputs("\n  ],\n  \"timeline\": ", file);
    timeline_json(file, &s->timeline, s->cpus);
}
