#include "decode/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/capture/capture_check.h"
#include "decode/capture/capture_records.h"

/* The kind of error for errno: does the file exist? */
static enum error_kind why_not_open(void)
{
    return errno == ENOENT || errno == ENOTDIR ? ERROR_NO_CAPTURE : ERROR_CANNOT_OPEN;
}

static bool map_traces(struct capture *capture, int directory, struct error *error)
{
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++) {
        struct capture_map map;
        char name[CHECKSUM_FILE_NAME];
        if (!capture_map(&map, directory, checksum_file_name(name, CHECKSUM_TRACE, cpu)) && errno != ENOENT)
            return error_set(error, ERROR_CANNOT_OPEN, 0, "%s/%s", capture->directory, name);
        capture->cpus[cpu] = (struct capture_trace){map.present, map.bytes, map.size};
        if (map.present)
            capture->nr_cpus = cpu + 1;
    }
    return true;
}

/* A capture of a later format than this program knows is refused. A meta.json that is missing, or whose bytes are
 * damaged, does not prevent reading the rest. */
static bool known_format(const struct capture *capture, const struct capture_map *meta, struct error *error)
{
    static const char start[] = "{\n  \"capture_format\": ";
    char text[sizeof(start) + 20] = "";
    const size_t size = meta->size < sizeof(text) - 1 ? (size_t)meta->size : sizeof(text) - 1;
    if (!meta->present || meta->size == 0 || damages_touch(&capture->damages, "meta.json", 0, meta->size))
        return true;
    memcpy(text, meta->bytes, size);
    if (strncmp(text, start, sizeof(start) - 1) != 0)
        return true;
    const uint64_t format = strtoull(text + sizeof(start) - 1, NULL, 10);
    return format <= CAPTURE_FORMAT || error_set(error, ERROR_NEWER_FORMAT, format, "%s", capture->directory);
}

/* Map files before those that they refer to: during a reception the latter are ahead. The checksum of meta.json, which
 * is replaced, is written before the file. */
static bool read_all(struct capture *capture, int directory, struct error *error)
{
    struct capture_map meta, index, events;
    capture_map(&meta, directory, "meta.json");
    capture_map(&capture->checksums, directory, CHECKSUM_NAME);
    capture_map(&index, directory, "index");
    bool good = capture_map(&events, directory, "events.bin");
    if (!good)
        error_set(error, why_not_open(), 0, "%s/events.bin", capture->directory);
    capture->events = events.bytes;
    capture->events_size = events.size;
    good = good && map_traces(capture, directory, error);
    if (good) {
        capture_check_records(capture, &index, &meta);
        good = known_format(capture, &meta, error) &&
               (capture_read_records(capture, &index) ||
                error_set(error, ERROR_MEMORY, 0, "%zu records", capture->nr_records));
    }
    capture_unmap(&meta);
    capture_unmap(&index);
    return good;
}

/* CPUs that never ran have at most an end record. */
static void count_cpus(struct capture *capture)
{
    uint64_t cpus;
    if (text_find_number(&cpus, capture->hello, "nr_cpus") && cpus <= CAPTURE_MAX_CPUS && cpus > capture->nr_cpus)
        capture->nr_cpus = (unsigned)cpus;
}

bool capture_ended(const struct capture *capture)
{
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        if (capture->ends[cpu].size == 0)
            return false;
    return capture->nr_cpus > 0;
}

struct capture *capture_open(const char *directory, struct error *error)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        error_set(error, why_not_open(), 0, "%s", directory);
        return NULL;
    }
    struct capture *capture = calloc(1, sizeof(*capture));
    if (capture)
        capture->directory = strdup(directory);
    bool good =
        capture && capture->directory ? read_all(capture, fd, error) : error_set(error, ERROR_MEMORY, 0, "a capture");
    close(fd);
    if (good) {
        count_cpus(capture);
        return capture;
    }
    capture_close(capture);
    return NULL;
}

void capture_close(struct capture *capture)
{
    if (!capture)
        return;
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        capture_unmap(&(struct capture_map){true, capture->cpus[cpu].bytes, capture->cpus[cpu].size});
    capture_unmap(&(struct capture_map){true, capture->events, capture->events_size});
    capture_unmap(&capture->checksums);
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        cpu_clock_free(&capture->clocks[cpu]);
    free(capture->records);
    free(capture->directory);
    free(capture);
}

const struct capture_record *capture_next(const struct capture *capture, size_t *position, enum record_kind kind,
                                          uint16_t cpu)
{
    while (*position < capture->nr_records) {
        const struct capture_record *record = &capture->records[(*position)++];
        if (record->header.kind == kind && record->header.cpu == cpu)
            return record;
    }
    return NULL;
}

const struct capture_trace *capture_trace(const struct capture *capture, uint64_t cpu, struct error *error)
{
    if (cpu < CAPTURE_MAX_CPUS && capture->cpus[cpu].present)
        return &capture->cpus[cpu];
    error_set(error, ERROR_NO_TRACE, cpu, "%s/cpu%" PRIu64 ".pt", capture->directory, cpu);
    return NULL;
}
