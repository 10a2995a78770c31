#include "decode/query/index_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "decode/capture/checksum.h"
#include "decode/capture/side_file.h"
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

bool index_take(struct query_index *index, void *bytes, uint64_t size, const struct capture_identity *identity)
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
    const struct capture_identity identity = capture_identify(capture);
    struct capture_map map;
    *index = (struct query_index){0};
    if (!side_file_map(&map, capture, INDEX_NAME))
        return false;
    const bool good = index_take(index, (void *)(uintptr_t)map.bytes, map.size, &identity);
    if (good)
        index->mapped = true;
    else
        capture_unmap(&map);
    if (!good)
        *index = (struct query_index){0};
    return good;
}

bool index_write(const struct query_index *index, const struct capture *capture)
{
    return side_file_write(capture, INDEX_NAME, index->bytes, index->size);
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
