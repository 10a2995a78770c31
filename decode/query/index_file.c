#include "decode/query/index_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/capture/checksum.h"
#include "pt/instruction/instruction.h"

#define ALIGNMENT 64u

static const uint64_t entry_sizes[INDEX_NR_SECTIONS] = {
    [INDEX_STRETCHES] = sizeof(struct index_stretch),
    [INDEX_CHUNKS] = sizeof(struct index_chunk),
    [INDEX_RUNS] = sizeof(struct run),
    [INDEX_SPACES] = sizeof(struct index_space),
    [INDEX_GRANULES] = sizeof(uint64_t),
    [INDEX_SETS] = sizeof(uint32_t),
    [INDEX_SPACE_SETS] = sizeof(uint32_t),
};

uint64_t index_layout(uint64_t offsets[INDEX_NR_SECTIONS], const struct index_header *header)
{
    uint64_t at = sizeof(*header);
    for (int i = 0; i < INDEX_NR_SECTIONS; i++) {
        at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        offsets[i] = at;
        if (header->counts[i] > UINT32_MAX)
            return 0;
        at += header->counts[i] * entry_sizes[i];
    }
    return at;
}

struct index_identity index_identify(const struct capture *capture)
{
    struct index_identity identity = {.events_size = capture->events_size, .checksums_size = capture->checksums.size};
    uint64_t sizes[CAPTURE_MAX_CPUS];
    for (unsigned i = 0; i < CAPTURE_MAX_CPUS; i++) {
        sizes[i] = capture->cpus[i].present ? capture->cpus[i].size : 0;
        identity.traces_size += sizes[i];
    }
    identity.traces_crc = checksum_of(sizes, sizeof(sizes));
    identity.content_crc = capture->checksums.size
                               ? checksum_of(capture->checksums.bytes, (size_t)capture->checksums.size)
                           : capture->events_size ? checksum_of(capture->events, (size_t)capture->events_size)
                                                  : 0;
    return identity;
}

static uint32_t crc_of_header(const struct index_header *header)
{
    return checksum_of(header, offsetof(struct index_header, header_crc));
}

/* Are stretches, sets and chunks consistent? The CRC was correct: this protects against a writer with errors. */
static bool is_sound(const struct query_index *index)
{
    const uint64_t *counts = index->header->counts;
    uint64_t stretch = 0;
    for (uint64_t i = 0; i < counts[INDEX_CHUNKS]; i++) {
        const struct index_chunk *chunk = &index->chunks[i];
        if (chunk->first_stretch != stretch || chunk->cpu >= CAPTURE_MAX_CPUS || chunk->nr_stretches == 0 ||
            chunk->nr_set > counts[INDEX_SETS] || chunk->first_set > counts[INDEX_SETS] - chunk->nr_set ||
            chunk->nr_spaces > counts[INDEX_SPACE_SETS] ||
            chunk->first_space > counts[INDEX_SPACE_SETS] - chunk->nr_spaces)
            return false;
        stretch += chunk->nr_stretches;
    }
    for (uint64_t i = 0; i < counts[INDEX_RUNS]; i++) {
        const struct run *run = &index->runs[i];
        if (run->first_stretch >= stretch || run->last_stretch >= stretch || run->last < run->begin ||
            run->first_space >= counts[INDEX_SPACES] || run->last_space >= counts[INDEX_SPACES] ||
            run->mode > INSTRUCTION_64)
            return false;
    }
    for (uint64_t i = 0; i < counts[INDEX_SPACES]; i++)
        if (!memchr(index->spaces[i].comm, 0, sizeof(index->spaces[i].comm)))
            return false;
    for (uint64_t i = 0; i < counts[INDEX_SPACE_SETS]; i++)
        if (index->space_sets[i] >= counts[INDEX_SPACES])
            return false;
    return stretch == counts[INDEX_STRETCHES];
}

static void point(struct query_index *index, const uint64_t offsets[INDEX_NR_SECTIONS])
{
    const char *bytes = index->bytes;
    index->header = index->bytes;
    index->stretches = (const void *)(bytes + offsets[INDEX_STRETCHES]);
    index->chunks = (const void *)(bytes + offsets[INDEX_CHUNKS]);
    index->runs = (const void *)(bytes + offsets[INDEX_RUNS]);
    index->spaces = (const void *)(bytes + offsets[INDEX_SPACES]);
    index->granules = (const void *)(bytes + offsets[INDEX_GRANULES]);
    index->sets = (const void *)(bytes + offsets[INDEX_SETS]);
    index->space_sets = (const void *)(bytes + offsets[INDEX_SPACE_SETS]);
}

bool index_take(struct query_index *index, void *bytes, uint64_t size, const struct index_identity *identity)
{
    const struct index_header *header = bytes;
    uint64_t offsets[INDEX_NR_SECTIONS];
    *index = (struct query_index){.bytes = bytes, .size = size};
    if (size < sizeof(*header) || header->zero || memcmp(header->magic, INDEX_MAGIC, sizeof(header->magic)) != 0 ||
        header->version != INDEX_VERSION || header->header_crc != crc_of_header(header) ||
        memcmp(&header->identity, identity, sizeof(*identity)) != 0 || index_layout(offsets, header) != size ||
        header->crc != checksum_of((const char *)bytes + sizeof(*header), (size_t)size - sizeof(*header)))
        return false;
    point(index, offsets);
    return is_sound(index);
}

bool index_read(struct query_index *index, const struct capture *capture)
{
    const struct index_identity identity = index_identify(capture);
    struct capture_map map;
    int directory = open(capture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = directory >= 0 && capture_map(&map, directory, INDEX_NAME);
    if (directory >= 0)
        close(directory);
    *index = (struct query_index){0};
    if (!good)
        return false;
    good = map.size > 0 && index_take(index, (void *)(uintptr_t)map.bytes, map.size, &identity);
    if (good)
        index->mapped = true;
    else
        capture_unmap(&map);
    if (!good)
        *index = (struct query_index){0};
    return good;
}

static bool write_all(int fd, const char *bytes, uint64_t size)
{
    for (uint64_t at = 0; at < size;) {
        ssize_t done = write(fd, bytes + at, (size_t)(size - at));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += (uint64_t)done;
    }
    return true;
}

bool index_write(const struct query_index *index, const struct capture *capture)
{
    char part[64];
    int directory = open(capture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    snprintf(part, sizeof(part), "." INDEX_NAME ".%ld", (long)getpid());
    int fd = openat(directory, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool good = fd >= 0 && write_all(fd, index->bytes, index->size);
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && renameat(directory, part, directory, INDEX_NAME) != 0) {
        good = false;
        reason = errno;
    }
    if (!good && fd >= 0)
        unlinkat(directory, part, 0);
    close(directory);
    errno = reason;
    return good;
}

void index_close(struct query_index *index)
{
    if (index->mapped)
        munmap(index->bytes, (size_t)index->size);
    else
        free(index->bytes);
    *index = (struct query_index){0};
}

const struct index_chunk *index_chunk_of(const struct query_index *index, uint32_t stretch)
{
    uint64_t low = 0, high = index->header->counts[INDEX_CHUNKS];
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (index->chunks[middle].first_stretch <= stretch)
            low = middle;
        else
            high = middle;
    }
    return &index->chunks[low];
}

uint32_t index_granule_at(const uint64_t *granules, uint64_t count, uint64_t number)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (granules[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}
