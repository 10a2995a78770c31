#include <inttypes.h>
#include <string.h>

#include "decode/report/difference.h"
#include "decode/report/summary.h"

#define EXIT_PREFIX "exit."

static void exits_json(FILE *file, struct record_text end)
{
    struct text_line line;
    size_t position = 0, prefix = sizeof(EXIT_PREFIX) - 1;
    const char *comma = "";
    if (end.size == 0) {
        fputs("null", file);
        return;
    }
    fputs("{", file);
    while (text_next(&line, end, &position)) {
        uint64_t count;
        if (line.name.size <= prefix || memcmp(line.name.bytes, EXIT_PREFIX, prefix) != 0 ||
            !text_number(&count, line.value))
            continue;
        fputs(comma, file);
        text_write_json(file, (struct record_text){line.name.bytes + prefix, line.name.size - prefix});
        fprintf(file, ": %" PRIu64, count);
        comma = ", ";
    }
    fputs("}", file);
}

static void truth_json(FILE *file, const struct summary *s)
{
    /* Without a trace nothing was compared. */
    bool compared = s->has_truth && s->trace_bytes > 0;
    struct figure branches = {s->has_truth, s->truth.branches}, matched = {compared, s->truth.matched};
    const struct truth_difference none = {0};
    fputs("  \"truth\": {", file);
    json_figure(file, "branches", branches, ", ");
    json_figure(file, "matched", matched, ", ");
    json_figure(file, "in_gaps", (struct figure){compared, s->truth.branches_in_gaps}, ", ");
    fputs("\"first_divergence\": ", file);
    difference_json(file, compared ? &s->truth.first : &none);
    fputs("},\n", file);
}

void summary_json(FILE *file, const struct summary *s)
{
    fputs("{\n  ", file);
    json_string(file, "guest", s->guest, ",\n  ");
    json_figure(file, "cpus", figure_of(s->cpus), ",\n  ");
    json_string(file, "result", s->complete ? "complete" : "incomplete", ",\n  ");
    json_figure(file, "trace_bytes", figure_of(s->trace_bytes), ",\n  ");
    json_figure(file, "regions", s->regions, ",\n  ");
    json_figure(file, "pmis", s->pmis, ",\n  ");
    json_figure(file, "overflows", figure_of(s->overflows), ",\n  ");
    json_figure(file, "gaps", figure_of(s->gaps), ",\n  ");
    json_figure(file, "gap_bytes", s->gap_bytes, ",\n  ");
    json_figure(file, "packets", figure_of(s->packets), ",\n  ");
    json_figure(file, "code_pages", figure_of(s->code_pages), ",\n  ");
    json_figure(file, "instructions", figure_of(s->instructions), ",\n  ");
    json_figure(file, "branches", figure_of(s->branches), ",\n  ");
    json_figure(file, "decode_errors", figure_of(s->decode_errors), ",\n");
    truth_json(file, s);
    fputs("  \"vm_exits\": ", file);
    exits_json(file, s->end);
    fputs(",\n  ", file);
    json_figure(file, "guest_instructions", s->guest_instructions, ",\n  ");
    json_figure(file, "root_instructions", s->root_instructions, ",\n  ");
    /* In the emulator, which alone knows instructions, one TSC tick is one instruction. */
    struct figure stalls = {s->stall_tsc.known && s->root_instructions.known, s->stall_tsc.value};
    json_figure(file, "stall_instructions", stalls, ",\n  ");
    json_figure(file, "image_bytes", s->image_bytes, ",\n  ");
    fputs("\"seconds\": {", file);
    json_seconds(file, "build", s->seconds_build, ", ");
    json_seconds(file, "boot", s->seconds_boot, ", ");
    json_seconds(file, "decode", s->seconds_decode, "}\n}\n");
}
