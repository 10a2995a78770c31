#include "decode/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/capture/index.h"
#include "decode/capture/record_stream.h"

/* Map a file of the directory. false: it cannot be read; errno says why. An empty file has bytes NULL. */
static bool map_file(const uint8_t **bytes, uint64_t *size, int directory, const char *name)
{
    struct stat status;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    *bytes = NULL;
    *size = 0;
    bool good = fstat(fd, &status) == 0;
    if (good && status.st_size > 0) {
        void *map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
        good = map != MAP_FAILED;
        if (good) {
            *bytes = map;
            *size = (uint64_t)status.st_size;
        }
    }
    int reason = errno;
    close(fd);
    errno = reason;
    return good;
}

static void unmap_file(const uint8_t *bytes, uint64_t size)
{
    if (bytes)
        munmap((void *)(uintptr_t)bytes, (size_t)size);
}

static bool map_traces(struct capture *capture, int directory, struct error *error)
{
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++) {
        struct capture_trace *trace = &capture->cpus[cpu];
        char name[16];
        snprintf(name, sizeof(name), "cpu%u.pt", cpu);
        trace->present = map_file(&trace->bytes, &trace->size, directory, name);
        if (!trace->present && errno != ENOENT)
            return error_set(error, ERROR_CANNOT_OPEN, 0, "%s/%s", capture->directory, name);
        if (trace->present)
            capture->nr_cpus = cpu + 1;
    }
    return true;
}

static bool add_record(struct capture *capture, const struct record_header *header, uint64_t offset)
{
    if (capture->nr_records % 4096 == 0) {
        size_t bytes = (capture->nr_records + 4096) * sizeof(*capture->records);
        struct capture_record *more = realloc(capture->records, bytes);
        if (!more)
            return false;
        capture->records = more;
    }
    struct capture_record *record = &capture->records[capture->nr_records++];
    *record = (struct capture_record){*header, offset, capture->events + offset + sizeof(*header)};
    struct record_text payload = {(const char *)record->payload, header->length};
    if (header->kind == RECORD_HELLO && capture->hello.size == 0)
        capture->hello = payload;
    if (header->kind == RECORD_END && header->cpu < CAPTURE_MAX_CPUS)
        capture->ends[header->cpu] = payload;
    if (header->cpu >= capture->nr_cpus && header->cpu < CAPTURE_MAX_CPUS)
        capture->nr_cpus = header->cpu + 1u;
    return true;
}

static bool record_fits(const struct capture *capture, const struct record_header *header, uint64_t offset)
{
    return record_possible(header) && capture->events_size - offset >= record_size_bytes(header);
}

/* The records that the index names: as far as it agrees with events.bin's size. *offset: where events.bin goes on. */
static bool read_index(struct capture *capture, uint64_t *offset, int directory)
{
    const uint8_t *bytes;
    uint64_t size;
    *offset = 0;
    if (!map_file(&bytes, &size, directory, "index"))
        return true;
    bool good = true;
    for (uint64_t at = 0; good && size - at >= sizeof(struct index_entry); at += sizeof(struct index_entry)) {
        struct index_entry entry;
        memcpy(&entry, bytes + at, sizeof(entry));
        if (entry.events_offset != *offset || *offset >= capture->events_size ||
            !record_fits(capture, &entry.header, *offset))
            break;
        good = add_record(capture, &entry.header, *offset);
        *offset += record_size_bytes(&entry.header);
    }
    unmap_file(bytes, size);
    return good;
}

static bool walk_events(struct capture *capture, uint64_t offset)
{
    while (capture->events_size - offset >= sizeof(struct record_header)) {
        struct record_header header;
        memcpy(&header, capture->events + offset, sizeof(header));
        if (!record_possible(&header)) {
            capture->damaged = true;
            break;
        }
        if (!record_fits(capture, &header, offset))
            break;
        if (!add_record(capture, &header, offset))
            return false;
        offset += record_size_bytes(&header);
    }
    capture->events_left_over = capture->events_size - offset;
    return true;
}

static bool read_all(struct capture *capture, int directory, struct error *error)
{
    uint64_t offset;
    if (!map_file(&capture->events, &capture->events_size, directory, "events.bin"))
        return error_set(error, ERROR_CANNOT_OPEN, 0, "%s/events.bin", capture->directory);
    if (!map_traces(capture, directory, error))
        return false;
    return (read_index(capture, &offset, directory) && walk_events(capture, offset)) ||
           error_set(error, ERROR_MEMORY, 0, "%zu records", capture->nr_records);
}

/* CPUs that never ran have left nothing but their end, if that came. */
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
        error_set(error, ERROR_CANNOT_OPEN, 0, "%s", directory);
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
        unmap_file(capture->cpus[cpu].bytes, capture->cpus[cpu].size);
    unmap_file(capture->events, capture->events_size);
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
