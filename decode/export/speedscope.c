#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/export/formats.h"
#include "decode/export/tracks.h"

/* Frames are numbered in the order of the file: functions first, then tasks. */
struct frames {
    uint32_t *functions; /* indexed by the name's number; 0: not used, otherwise the frame's number plus 1 */
    uint32_t used;
};

static void write_frame(FILE *file, const char *name, const char *object, const char *comma)
{
    fprintf(file, "%s\n{\"name\":", comma);
    text_write_json(file, (struct record_text){name, strlen(name)});
    if (object) {
        fputs(",\"file\":", file);
        text_write_json(file, (struct record_text){object, strlen(object)});
    }
    fputc('}', file);
}

static bool write_frames(FILE *file, struct frames *frames, const struct slices *slices, const struct names *names)
{
    char text[LABEL_SIZE];
    frames->functions = calloc(names_count(names) + 1, sizeof(*frames->functions));
    if (!frames->functions)
        return false;
    for (size_t i = 0; i < slices->count; i++) {
        const struct slice *slice = &slices->items[i];
        if (slice->entry == SLICE_TASK || frames->functions[slice->name])
            continue;
        const struct name *name = names_by_number(names, slice->name);
        write_frame(file, label_text(text, name), name->object, frames->used ? "," : "");
        frames->functions[slice->name] = ++frames->used;
    }
    for (size_t i = 0; i < slices->nr_tasks; i++)
        write_frame(file, task_text(text, &slices->tasks[i]), NULL, frames->used || i ? "," : "");
    return true;
}

static uint32_t frame_of(const struct frames *frames, const struct slice *slice)
{
    return slice->entry == SLICE_TASK ? frames->used + slice->name : frames->functions[slice->name] - 1;
}

struct writer {
    FILE *file;
    const struct calls_clock *clock;
    const struct frames *frames;
    uint64_t zero;
    bool follows; /* an event precedes the next one: a comma is due */
};

static void write_event(struct writer *writer, char type, const struct slice *slice, uint64_t ticks)
{
    fprintf(writer->file, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
            writer->follows ? ",\n" : "\n", type, frame_of(writer->frames, slice),
            calls_nanoseconds(writer->clock, ticks));
    writer->follows = true;
}

/* Write the slices of one track as begin and end events. */
static void write_events(struct writer *writer, const struct slice *slices, size_t count)
{
    const struct slice *open[UINT16_MAX + 1];
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        while (depth > 0 && open[depth - 1]->end <= slices[i].begin) {
            depth--;
            write_event(writer, 'C', open[depth], open[depth]->end);
        }
        write_event(writer, 'O', &slices[i], slices[i].begin);
        open[depth++] = &slices[i];
    }
    while (depth-- > 0)
        write_event(writer, 'C', open[depth], open[depth]->end);
}

static size_t track_end(const struct slices *slices, size_t begin)
{
    size_t end = begin;
    while (end < slices->count && slices->items[end].track == slices->items[begin].track)
        end++;
    return end;
}

static bool write_slices(FILE *file, const struct slices *slices, const struct export_job *job, struct error *error)
{
    const struct calls_run *run = job->run;
    struct frames frames = {0};
    char text[LABEL_SIZE];
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"undertrace\","
          "\"shared\":{\"frames\":[",
          file);
    if (!write_frames(file, &frames, slices, run->names))
        return error_set(error, ERROR_MEMORY, 0, "names");
    fputs("]},\n\"profiles\":[", file);
    for (size_t begin = 0, end; begin < slices->count; begin = end) {
        struct writer writer = {.file = file, .clock = &run->clock, .frames = &frames};
        end = track_end(slices, begin);
        fprintf(file,
                "%s\n{\"type\":\"evented\",\"name\":\"%s\",\"unit\":\"%s\",\"startValue\":%" PRIu64
                ",\"endValue\":%" PRIu64 ",\"events\":[",
                begin ? "," : "", track_text(text, slices, &slices->tracks[slices->items[begin].track]),
                run->clock.by_branches ? "none" : "nanoseconds", calls_nanoseconds(&run->clock, slices->first),
                calls_nanoseconds(&run->clock, slices->last));
        write_events(&writer, &slices->items[begin], end - begin);
        fputs("]}", file);
    }
    fputs("]}\n", file);
    free(frames.functions);
    return true;
}

const struct export_format format_speedscope = {
    .name = "speedscope",
    .readers = "speedscope.app's JSON",
    .options = EXPORT_OPTION_LENGTHS,
    .track_per_cpu = true,
    .write_slices = write_slices,
};
