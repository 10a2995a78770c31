/*
 * Format: Perfetto's trace is a Trace message whose fields are packets. Names are defined once, and then referred to by
 * number ("interned"). perfetto.dev, "Synthetic TrackEvent traces", and Perfetto's protos/perfetto/trace/.
 */
#include <stdlib.h>

#include "decode/export/formats.h"
#include "decode/export/protobuf.h"
#include "decode/export/tracks.h"

enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { FLAGS_CLEARED = 1, FLAGS_NEEDED = 2 };
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2, INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum { EVENT_CATEGORY = 3, EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3 };
enum { ANNOTATION_UINT = 3, ANNOTATION_NAME = 10 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

#define SEQUENCE 1u
#define UUID_CPUS 1u
#define UUID_TASKS 2u
#define UUID_TRACKS 16u /* of the first track */

/* The longest packet has one name, one category or annotation, and numbers: it always fits. */
_Static_assert(LABEL_SIZE + 512 <= PROTOBUF_SIZE, "a packet has room for a name");

struct writer {
    FILE *file;
    const struct calls_run *run;
    const struct slices *slices;
    bool *known_names; /* by number: already defined in a packet */
    bool *known_tasks;
    bool begun;
};

static void write_packet(struct writer *writer, struct protobuf *packet)
{
    struct protobuf head = {0};
    protobuf_number(packet, PACKET_SEQUENCE, SEQUENCE);
    protobuf_number(packet, PACKET_FLAGS, writer->begun ? FLAGS_NEEDED : FLAGS_CLEARED | FLAGS_NEEDED);
    writer->begun = true;
    protobuf_message(&head, TRACE_PACKET, packet);
    fwrite(head.bytes, 1, head.size, writer->file);
}

static void write_process(struct writer *writer, uint32_t uuid, const char *name)
{
    struct protobuf packet = {0}, track = {0}, process = {0};
    protobuf_number(&process, PROCESS_PID, uuid);
    protobuf_text(&process, PROCESS_NAME, name);
    protobuf_number(&track, TRACK_UUID, uuid);
    protobuf_message(&track, TRACK_PROCESS, &process);
    protobuf_message(&packet, PACKET_TRACK, &track);
    write_packet(writer, &packet);
}

static void write_track(struct writer *writer, uint32_t number)
{
    char text[LABEL_SIZE];
    struct protobuf packet = {0}, track = {0}, thread = {0};
    const struct slice_track *from = &writer->slices->tracks[number];
    const uint32_t parent = from->task == SLICE_NO_TASK ? UUID_CPUS : UUID_TASKS;
    protobuf_number(&thread, THREAD_PID, parent);
    protobuf_number(&thread, THREAD_TID, UUID_TRACKS + number);
    protobuf_text(&thread, THREAD_NAME, track_text(text, writer->slices, from));
    protobuf_number(&track, TRACK_UUID, UUID_TRACKS + number);
    protobuf_number(&track, TRACK_PARENT, parent);
    protobuf_message(&track, TRACK_THREAD, &thread);
    protobuf_message(&packet, PACKET_TRACK, &track);
    write_packet(writer, &packet);
}

/* Functions have odd numbers, tasks even ones; 0 is not used. */
static uint64_t name_iid(const struct slice *slice)
{
    return 2ull * slice->name + (slice->entry == SLICE_TASK ? 2 : 1);
}

static void intern_text(struct protobuf *interned, uint32_t field, uint64_t iid, const char *name)
{
    struct protobuf entry = {0};
    protobuf_number(&entry, INTERNED_IID, iid);
    protobuf_text(&entry, INTERNED_TEXT, name);
    protobuf_message(interned, field, &entry);
}

/* Define the name of a slice when it is used first. */
static void define_name(struct writer *writer, struct protobuf *packet, const struct slice *slice)
{
    char text[LABEL_SIZE];
    struct protobuf interned = {0};
    bool *known = &(slice->entry == SLICE_TASK ? writer->known_tasks : writer->known_names)[slice->name];
    if (*known)
        return;
    *known = true;
    intern_text(&interned, INTERNED_NAMES, name_iid(slice),
                track_slice_text(text, writer->slices, writer->run->names, slice));
    protobuf_message(packet, PACKET_INTERNED, &interned);
}

static void write_categories(struct writer *writer)
{
    struct protobuf packet = {0}, interned = {0};
    for (uint8_t entry = STACK_BASE; entry <= STACK_TAIL; entry++)
        intern_text(&interned, INTERNED_CATEGORIES, entry + 1u, track_slice_kind(&(struct slice){.entry = entry}));
    intern_text(&interned, INTERNED_CATEGORIES, SLICE_TASK + 1u,
                track_slice_kind(&(struct slice){.entry = SLICE_TASK}));
    protobuf_message(&packet, PACKET_INTERNED, &interned);
    write_packet(writer, &packet);
}

static void write_begin(struct writer *writer, const struct slice *slice)
{
    struct protobuf packet = {0}, event = {0};
    protobuf_number(&packet, PACKET_TIMESTAMP, calls_nanoseconds(&writer->run->clock, slice->begin));
    define_name(writer, &packet, slice);
    protobuf_number(&event, EVENT_TYPE, TYPE_BEGIN);
    protobuf_number(&event, EVENT_TRACK, UUID_TRACKS + slice->track);
    protobuf_number(&event, EVENT_CATEGORY, slice->entry + 1u);
    protobuf_number(&event, EVENT_NAME, name_iid(slice));
    if (slice->merged) {
        struct protobuf merged = {0};
        protobuf_text(&merged, ANNOTATION_NAME, "merged_calls");
        protobuf_number(&merged, ANNOTATION_UINT, slice->merged);
        protobuf_message(&event, EVENT_ANNOTATION, &merged);
    }
    protobuf_message(&packet, PACKET_EVENT, &event);
    write_packet(writer, &packet);
}

static void write_end(struct writer *writer, const struct slice *slice)
{
    struct protobuf packet = {0}, event = {0};
    protobuf_number(&packet, PACKET_TIMESTAMP, calls_nanoseconds(&writer->run->clock, slice->end));
    protobuf_number(&event, EVENT_TYPE, TYPE_END);
    protobuf_number(&event, EVENT_TRACK, UUID_TRACKS + slice->track);
    protobuf_message(&packet, PACKET_EVENT, &event);
    write_packet(writer, &packet);
}

static void write_lost(struct writer *writer)
{
    for (size_t i = 0; i < writer->slices->nr_lost; i++) {
        struct protobuf packet = {0}, event = {0}, interned = {0};
        protobuf_number(&packet, PACKET_TIMESTAMP, calls_nanoseconds(&writer->run->clock, writer->slices->lost[i].tsc));
        intern_text(&interned, INTERNED_NAMES, UINT32_MAX * 4ull, "trace lost");
        protobuf_message(&packet, PACKET_INTERNED, &interned);
        protobuf_number(&event, EVENT_TYPE, TYPE_INSTANT);
        protobuf_number(&event, EVENT_TRACK, UUID_CPUS);
        protobuf_number(&event, EVENT_NAME, UINT32_MAX * 4ull);
        protobuf_message(&packet, PACKET_EVENT, &event);
        write_packet(writer, &packet);
    }
}

static void write_all_slices(struct writer *writer)
{
    const struct slice *open[UINT16_MAX + 1];
    const struct slice *items = writer->slices->items;
    size_t depth = 0;
    for (size_t i = 0; i < writer->slices->count; i++) {
        while (depth > 0 && (open[depth - 1]->track != items[i].track || open[depth - 1]->end <= items[i].begin))
            write_end(writer, open[--depth]);
        write_begin(writer, &items[i]);
        open[depth++] = &items[i];
    }
    while (depth > 0)
        write_end(writer, open[--depth]);
}

static bool write_slices(FILE *file, const struct slices *slices, const struct export_job *job, struct error *error)
{
    const struct calls_run *run = job->run;
    struct writer writer = {.file = file,
                            .run = run,
                            .slices = slices,
                            .known_names = calloc(names_count(run->names) + 1, sizeof(bool)),
                            .known_tasks = calloc(slices->nr_tasks + 1, sizeof(bool))};
    const bool good = writer.known_names && writer.known_tasks;
    if (good) {
        write_process(&writer, UUID_CPUS, "CPUs");
        write_process(&writer, UUID_TASKS, "tasks");
        for (uint32_t i = 0; i < slices->nr_tracks; i++)
            write_track(&writer, i);
        write_categories(&writer);
        write_all_slices(&writer);
        write_lost(&writer);
    }
    free(writer.known_names);
    free(writer.known_tasks);
    return good || error_set(error, ERROR_MEMORY, 0, "names");
}

const struct export_format format_perfetto = {
    .name = "perfetto",
    .readers = "Perfetto's protobuf: ui.perfetto.dev, trace_processor",
    .options = EXPORT_OPTION_LENGTHS,
    .write_slices = write_slices,
};
