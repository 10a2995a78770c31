#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/export/formats.h"
#include "decode/export/tracks.h"
#include "decode/profile/node_sums.h"
#include "decode/profile/profile_walk.h"

/* Frames are numbered in the order of the file: functions first, then tasks. */
struct frames {
    uint32_t *functions;     /* indexed by the name's number; 0: not used, otherwise the frame's number plus 1 */
    uint32_t used, nr_tasks; /* after the tasks comes the frame of what the totals have no path of */
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

static void write_function(FILE *file, struct frames *frames, const struct name *name)
{
    char text[LABEL_SIZE];
    if (frames->functions[name->number])
        return;
    write_frame(file, label_text(text, name), name->object, frames->used ? "," : "");
    frames->functions[name->number] = ++frames->used;
}

static bool write_frames(FILE *file, struct frames *frames, const struct slices *slices, const struct profile *totals,
                         const struct names *names)
{
    char text[LABEL_SIZE];
    frames->functions = calloc(names_count(names) + 1, sizeof(*frames->functions));
    if (!frames->functions)
        return false;
    for (size_t i = 0; i < slices->count; i++)
        if (slices->items[i].entry != SLICE_TASK)
            write_function(file, frames, names_by_number(names, slices->items[i].name));
    for (size_t i = 1; i < totals->nr_nodes; i++)
        if (totals->nodes[i].name)
            write_function(file, frames, totals->nodes[i].name);
    for (size_t i = 0; i < slices->nr_tasks; i++)
        write_frame(file, task_text(text, &slices->tasks[i]), NULL, frames->used || i ? "," : "");
    frames->nr_tasks = (uint32_t)slices->nr_tasks;
    write_frame(file, "[rarer paths]", NULL, frames->used || slices->nr_tasks ? "," : "");
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

static void write_frame_event(struct writer *writer, char type, uint32_t frame, uint64_t ticks)
{
    fprintf(writer->file, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
            writer->follows ? ",\n" : "\n", type, frame, calls_nanoseconds(writer->clock, ticks));
    writer->follows = true;
}

static void write_event(struct writer *writer, char type, const struct slice *slice, uint64_t ticks)
{
    write_frame_event(writer, type, frame_of(writer->frames, slice), ticks);
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

/* The profile of totals: the whole call tree, in which each path has its frame once, as long as its sum. At most
 * most_paths of them; below the others, the own time of each function is a frame of its own in [rarer paths]. So each
 * function has its whole own time, also that of calls which the time line merged. */
struct totals {
    struct writer writer;
    const struct profile *profile;
    const struct node_sums *sums;
    uint64_t least; /* paths of fewer ticks are rare */
    uint64_t *rare; /* ticks of each function in rare paths, by its name's number */
    uint64_t at;
};

static int compare_sums(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* false: out of memory. */
static bool find_least(struct totals *totals, size_t most)
{
    const size_t count = totals->profile->nr_nodes;
    totals->least = 1;
    if (count <= most)
        return true;
    uint64_t *ticks = malloc(count * sizeof(*ticks));
    if (!ticks)
        return false;
    for (size_t i = 0; i < count; i++)
        ticks[i] = totals->sums[i].ticks;
    qsort(ticks, count, sizeof(*ticks), compare_sums);
    totals->least = ticks[most] + 1;
    free(ticks);
    return true;
}

/* Begin a path, or add its own time to the rare ones. */
static void begin_path(void *context, uint32_t node)
{
    struct totals *totals = context;
    const struct profile_node *path = &totals->profile->nodes[node];
    if (totals->sums[node].ticks < totals->least) {
        totals->rare[path->name->number] += path->ticks;
        return;
    }
    write_frame_event(&totals->writer, 'O', totals->writer.frames->functions[path->name->number] - 1, totals->at);
    totals->at += path->ticks;
}

static void end_path(void *context, uint32_t node)
{
    struct totals *totals = context;
    const struct profile_node *path = &totals->profile->nodes[node];
    if (totals->sums[node].ticks >= totals->least)
        write_frame_event(&totals->writer, 'C', totals->writer.frames->functions[path->name->number] - 1, totals->at);
}

static void write_rare(struct totals *totals, const struct names *names)
{
    const struct frames *frames = totals->writer.frames;
    write_frame_event(&totals->writer, 'O', frames->used + frames->nr_tasks, totals->at);
    for (uint32_t i = 0; i < names_count(names); i++) {
        if (totals->rare[i] == 0)
            continue;
        write_frame_event(&totals->writer, 'O', frames->functions[i] - 1, totals->at);
        totals->at += totals->rare[i];
        write_frame_event(&totals->writer, 'C', frames->functions[i] - 1, totals->at);
    }
    write_frame_event(&totals->writer, 'C', frames->used + frames->nr_tasks, totals->at);
}

/* false: out of memory. */
static bool write_totals(FILE *file, const struct frames *frames, const struct export_job *job)
{
    const struct calls_run *run = job->run;
    const struct profile *profile = job->totals;
    struct node_sums *sums = node_sums(profile);
    struct totals totals = {.writer = {.file = file, .clock = &run->clock, .frames = frames},
                            .profile = profile,
                            .sums = sums,
                            .rare = calloc(names_count(run->names) + 1, sizeof(*totals.rare)),
                            .at = run->clock.zero};
    const bool good = sums && totals.rare && find_least(&totals, job->most);
    if (good) {
        const struct profile_visitor visitor = {begin_path, end_path, &totals};
        uint64_t all = 0;
        for (size_t i = 1; i < profile->nr_nodes; i++)
            all += profile->nodes[i].ticks;
        fprintf(file,
                ",\n{\"type\":\"evented\",\"name\":\"totals of all CPUs\",\"unit\":\"%s\",\"startValue\":0,"
                "\"endValue\":%" PRIu64 ",\"events\":[",
                run->clock.by_branches ? "none" : "nanoseconds", calls_nanoseconds(&run->clock, run->clock.zero + all));
        for (size_t i = 1; i < profile->nr_processes; i++)
            profile_walk(profile, profile->processes[i].root, &visitor);
        write_rare(&totals, run->names);
        fputs("]}", file);
    }
    free(totals.rare);
    free(sums);
    return good;
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
    if (!write_frames(file, &frames, slices, job->totals, run->names))
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
    const bool good = slices->count == 0 || write_totals(file, &frames, job);
    fputs("]}\n", file);
    free(frames.functions);
    return good || error_set(error, ERROR_MEMORY, 0, "the call tree");
}

const struct export_format format_speedscope = {
    .name = "speedscope",
    .readers = "speedscope.app's JSON",
    .options = EXPORT_OPTION_LENGTHS,
    .has_totals = true,
    .track_per_cpu = true,
    .write_slices = write_slices,
};
