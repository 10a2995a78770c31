#include <inttypes.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/export/formats.h"
#include "decode/export/tracks.h"
#include "decode/profile/label.h"

#define CPUS_PID 1u
#define TASKS_PID 2u

/* Write a JSON string. */
static void write_text(FILE *file, const char *text)
{
    text_write_json(file, (struct record_text){text, strlen(text)});
}

static uint32_t pid_of(const struct slice_track *track)
{
    return track->task == SLICE_NO_TASK ? CPUS_PID : TASKS_PID;
}

static void write_meta(FILE *file, const char *what, uint32_t pid, uint32_t tid, const char *name)
{
    fprintf(file, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"name\":", what,
            pid, tid);
    write_text(file, name);
    fputs("}},\n", file);
}

static void write_slice(FILE *file, const struct slices *slices, const struct calls_run *run, const struct slice *slice)
{
    char text[LABEL_SIZE];
    const uint64_t begin = calls_nanoseconds(&run->clock, slice->begin),
                   end = calls_nanoseconds(&run->clock, slice->end);
    fputs(",\n{\"ph\":\"X\",\"name\":", file);
    write_text(file, track_slice_text(text, slices, run->names, slice));
    fprintf(file,
            ",\"cat\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"dur\":%" PRIu64
            ".%03" PRIu64,
            track_slice_kind(slice), pid_of(&slices->tracks[slice->track]), slice->track + 1, begin / 1000,
            begin % 1000, (end - begin) / 1000, (end - begin) % 1000);
    if (slice->merged)
        fprintf(file, ",\"args\":{\"merged_calls\":%" PRIu32 ",\"merged_us\":%" PRIu64 "}", slice->merged,
                calls_nanoseconds(&run->clock, run->clock.zero + slice->merged_ticks) / 1000);
    fputc('}', file);
}

static bool write_slices(FILE *file, const struct slices *slices, const struct export_job *job, struct error *error)
{
    const struct calls_run *run = job->run;
    char text[LABEL_SIZE];
    (void)error;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file);
    write_meta(file, "process_name", CPUS_PID, 0, "CPUs");
    for (uint32_t i = 0; i < slices->nr_tracks; i++)
        write_meta(file, "thread_name", pid_of(&slices->tracks[i]), i + 1,
                   track_text(text, slices, &slices->tracks[i]));
    fprintf(file, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":\"tasks\"}}",
            TASKS_PID);
    for (size_t i = 0; i < slices->count; i++)
        write_slice(file, slices, run, &slices->items[i]);
    for (size_t i = 0; i < slices->nr_lost; i++) {
        const uint64_t when = calls_nanoseconds(&run->clock, slices->lost[i].tsc);
        fprintf(
            file,
            ",\n{\"ph\":\"i\",\"s\":\"g\",\"name\":\"trace lost\",\"cat\":\"gap\",\"pid\":%u,\"tid\":0,\"ts\":%" PRIu64
            ".%03" PRIu64 "}",
            CPUS_PID, when / 1000, when % 1000);
    }
    fprintf(file,
            "\n],\"otherData\":{\"creator\":\"undertrace\",\"merged_calls\":\"%" PRIu64 "\",\"merged_runs\":\"%" PRIu64
            "\",\"shortest_ns\":\"%" PRIu64 "\"}}\n",
            slices->merged, slices->merged_runs, calls_nanoseconds(&run->clock, run->clock.zero + slices->least));
    return true;
}

const struct export_format format_chrome = {
    .name = "chrome",
    .readers = "Trace Event JSON: chrome://tracing, ui.perfetto.dev",
    .options = EXPORT_OPTION_LENGTHS,
    .write_slices = write_slices,
};
