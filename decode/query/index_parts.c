#include "decode/query/index_parts.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/checksum.h"

static int compare_numbers(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int compare_spaces(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Sorted, each once. Returns how many. */
static size_t sort_unique(uint64_t *items, size_t count)
{
    size_t kept = 0;
    if (count == 0)
        return 0;
    qsort(items, count, sizeof(*items), compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || items[i] != items[kept - 1])
            items[kept++] = items[i];
    return kept;
}

/* Granules of all runs. NULL: no memory. */
static uint64_t *collect_granules(const struct run *runs, size_t count, size_t *nr_granules)
{
    size_t total = 0, used = 0;
    for (size_t i = 0; i < count; i++)
        total += (size_t)((runs[i].last >> INDEX_GRANULE_SHIFT) - (runs[i].begin >> INDEX_GRANULE_SHIFT)) + 1;
    uint64_t *items = malloc((total + 1) * sizeof(*items));
    for (size_t i = 0; i < count && items; i++)
        for (uint64_t k = runs[i].begin >> INDEX_GRANULE_SHIFT; k <= runs[i].last >> INDEX_GRANULE_SHIFT; k++)
            if (used == 0 || items[used - 1] != k)
                items[used++] = k;
    *nr_granules = items ? sort_unique(items, used) : 0;
    return items;
}

static void fill_chunks(char *bytes, const uint64_t *offsets, const struct index_parts *parts, const uint64_t *granules,
                        size_t nr_granules)
{
    struct index_chunk *chunks = (void *)(bytes + offsets[INDEX_CHUNKS]);
    uint32_t *sets = (void *)(bytes + offsets[INDEX_SETS]);
    uint32_t *space_sets = (void *)(bytes + offsets[INDEX_SPACE_SETS]), space_at = 0;
    uint64_t at = 0;
    for (size_t i = 0; i < parts->nr_chunks; i++) {
        struct index_part *part = &parts->chunks[i];
        chunks[i] = part->chunk;
        chunks[i].first_set = at;
        sort_unique(part->set, part->chunk.nr_set);
        for (uint32_t k = 0; k < part->chunk.nr_set; k++)
            sets[at++] = index_granule_at(granules, nr_granules, part->set[k]);
        chunks[i].first_space = space_at;
        chunks[i].nr_errors = part->sums.errors < UINT32_MAX ? (uint32_t)part->sums.errors : UINT32_MAX;
        for (uint32_t k = 0; k < part->chunk.nr_spaces; k++)
            space_sets[space_at++] = part->space_set[k];
        qsort(space_sets + chunks[i].first_space, part->chunk.nr_spaces, sizeof(*space_sets), compare_spaces);
    }
}

/* After the runs and granules, whose numbers are known. */
static bool assemble(struct query_index *index, struct index_parts *parts, const struct run *runs,
                     const uint64_t *granules)
{
    struct index_header *header = &parts->header;
    uint64_t offsets[INDEX_NR_SECTIONS];
    const uint64_t size = index_layout(offsets, header);
    char *bytes = size ? calloc(1, (size_t)size) : NULL;
    if (!bytes)
        return false;
    memcpy(bytes + offsets[INDEX_STRETCHES], parts->stretches, parts->nr_stretches * sizeof(*parts->stretches));
    memcpy(bytes + offsets[INDEX_RUNS], runs, (size_t)header->counts[INDEX_RUNS] * sizeof(*runs));
    memcpy(bytes + offsets[INDEX_SPACES], parts->spaces->items, parts->spaces->count * sizeof(*parts->spaces->items));
    memcpy(bytes + offsets[INDEX_GRANULES], granules, (size_t)header->counts[INDEX_GRANULES] * sizeof(uint64_t));
    fill_chunks(bytes, offsets, parts, granules, (size_t)header->counts[INDEX_GRANULES]);
    header->crc = checksum_of(bytes + sizeof(*header), (size_t)size - sizeof(*header));
    header->header_crc = checksum_of(header, offsetof(struct index_header, header_crc));
    memcpy(bytes, header, sizeof(*header));
    if (index_take(index, bytes, size, &header->identity))
        return true;
    free(bytes);
    return false;
}

bool index_parts_join(struct query_index *index, struct index_parts *parts)
{
    struct index_header *header = &parts->header;
    size_t nr_runs, nr_granules = 0;
    struct run *runs = run_table_sorted(&parts->runs, &nr_runs);
    for (size_t i = 0; i < nr_runs; i++)
        runs[i].stamp = runs[i].instructions = 0; /* of code that was changed they are as the first thread found it */
    uint64_t *granules = collect_granules(runs, nr_runs, &nr_granules);
    memcpy(header->magic, INDEX_MAGIC, sizeof(header->magic));
    header->version = INDEX_VERSION;
    header->counts[INDEX_STRETCHES] = parts->nr_stretches;
    header->counts[INDEX_CHUNKS] = parts->nr_chunks;
    header->counts[INDEX_RUNS] = nr_runs;
    header->counts[INDEX_SPACES] = parts->spaces->count;
    header->counts[INDEX_GRANULES] = nr_granules;
    for (size_t i = 0; i < parts->nr_chunks; i++) {
        const struct run_sums *sums = &parts->chunks[i].sums;
        header->counts[INDEX_SETS] += parts->chunks[i].chunk.nr_set;
        header->counts[INDEX_SPACE_SETS] += parts->chunks[i].chunk.nr_spaces;
        header->branches += sums->branches;
        header->instructions += sums->instructions;
        header->decode_gaps += sums->errors;
        header->last_tsc = sums->last_tsc > header->last_tsc ? sums->last_tsc : header->last_tsc;
    }
    for (size_t i = 0; i < parts->nr_stretches; i++) {
        const uint64_t tsc = parts->stretches[i].tsc;
        if (tsc && (!header->first_tsc || tsc < header->first_tsc))
            header->first_tsc = tsc;
    }
    const bool good = granules && assemble(index, parts, runs, granules);
    free(granules);
    free(runs);
    return good;
}
