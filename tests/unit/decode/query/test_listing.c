/* Which chunks of a trace match a request: by addresses, and by address spaces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/checksum.h"
#include "decode/query/index_parts.h"
#include "decode/query/listing.h"

#define READ 0xffffffff81000000ull
#define WRITE 0xffffffff81001000ull
#define NR_CHUNKS 3u

static const struct capture_identity identity = {.traces_size = 3};

/* Chunk 0: READ in spaces 0 and 2; chunk 1: WRITE in space 1; chunk 2: both in space 2. The bytes are the caller's to
 * free. */
static struct query_index make_index(void)
{
    struct index_stretch stretches[NR_CHUNKS] = {
        {.begin = 0, .end = 100}, {.begin = 100, .end = 200}, {.begin = 200, .end = 300}};
    uint64_t sets[NR_CHUNKS][2] = {{READ >> INDEX_GRANULE_SHIFT},
                                   {WRITE >> INDEX_GRANULE_SHIFT},
                                   {WRITE >> INDEX_GRANULE_SHIFT, READ >> INDEX_GRANULE_SHIFT}};
    uint32_t in[NR_CHUNKS][2] = {{2, 0}, {1}, {2}};
    struct index_space items[NR_CHUNKS] = {{.cr3 = 0x1000}, {.cr3 = 0x2000}, {.cr3 = 0x3000}};
    struct run_spaces spaces = {.items = items, .count = NR_CHUNKS};
    struct index_part chunks[NR_CHUNKS];
    struct index_parts parts = {.header.identity = identity,
                                .stretches = stretches,
                                .nr_stretches = NR_CHUNKS,
                                .chunks = chunks,
                                .nr_chunks = NR_CHUNKS,
                                .spaces = &spaces};
    struct query_index index;
    for (uint32_t i = 0; i < NR_CHUNKS; i++)
        chunks[i] = (struct index_part){
            .chunk = {.first_stretch = i, .nr_stretches = 1, .nr_set = i == 2 ? 2 : 1, .nr_spaces = i == 0 ? 2 : 1},
            .set = sets[i],
            .space_set = in[i],
            .sums.errors = i};
    for (unsigned i = 0; i < 2; i++) {
        struct run *run = run_table_place(&parts.runs, i ? WRITE : READ, (i ? WRITE : READ) + 8, 0);
        assert_non_null(run);
        run->count = run->instructions = 1;
    }
    assert_true(index_parts_join(&index, &parts));
    return index;
}

/* The chunks that are wanted: bit 0 is the first one's. */
static unsigned wanted(const struct query_index *index, struct listing listing)
{
    const struct indexed_capture indexed = {.index = *index};
    unsigned chunks = 0;
    listing.indexed = &indexed;
    for (unsigned i = 0; i < NR_CHUNKS; i++)
        chunks |= (unsigned)listing_matches(&listing, &index->chunks[i]) << i;
    return chunks;
}

static void the_index_knows_spaces_and_errors_of_chunks(void **state)
{
    struct query_index index = make_index();
    (void)state;
    assert_int_equal(index.chunks[0].nr_spaces, 2);
    assert_int_equal(index.space_sets[index.chunks[0].first_space], 0);
    assert_int_equal(index.space_sets[index.chunks[0].first_space + 1], 2);
    assert_int_equal(index.space_sets[index.chunks[1].first_space], 1);
    assert_int_equal(index.space_sets[index.chunks[2].first_space], 2);
    assert_int_equal(index.chunks[0].nr_errors, 0);
    assert_int_equal(index.chunks[2].nr_errors, 2);
    free(index.bytes);
}

static void chunks_are_wanted_by_space(void **state)
{
    struct query_index index = make_index();
    const bool first[] = {true, false, false}, second[] = {false, true, false}, third[] = {false, false, true},
               none[] = {false, false, false};
    (void)state;
    assert_int_equal(wanted(&index, (struct listing){0}), 7);
    assert_int_equal(wanted(&index, (struct listing){.spaces = first}), 1);
    assert_int_equal(wanted(&index, (struct listing){.spaces = second}), 2);
    assert_int_equal(wanted(&index, (struct listing){.spaces = third}), 5);
    assert_int_equal(wanted(&index, (struct listing){.spaces = none}), 0);
    free(index.bytes);
}

/* A function of --to, wherever it is executed. */
static const struct listing_range *also_write(void *context, size_t *count)
{
    static const struct listing_range range = {WRITE, WRITE + 16};
    (void)context;
    *count = 1;
    return &range;
}

static void chunks_are_wanted_by_address_and_space(void **state)
{
    struct query_index index = make_index();
    const bool first[] = {true, false, false}, third[] = {false, false, true};
    const struct listing_range read = {READ, READ + 16}, write = {WRITE, WRITE + 16};
    (void)state;
    assert_int_equal(wanted(&index, (struct listing){.ranges = &read, .nr_ranges = 1}), 5);
    assert_int_equal(wanted(&index, (struct listing){.ranges = &write, .nr_ranges = 1, .spaces = third}), 4);
    assert_int_equal(wanted(&index, (struct listing){.ranges = &write, .nr_ranges = 1, .spaces = first}), 0);
    assert_int_equal(wanted(&index, (struct listing){.spaces = first, .also = also_write}), 7);
    free(index.bytes);
}

static void seal(struct query_index *index)
{
    struct index_header *header = index->bytes;
    header->crc = checksum_of((const char *)index->bytes + sizeof(*header), (size_t)index->size - sizeof(*header));
    header->header_crc = checksum_of(header, offsetof(struct index_header, header_crc));
}

static void sets_that_lead_out_of_an_index_are_refused(void **state)
{
    struct query_index index = make_index(), again;
    uint32_t *number = (uint32_t *)(uintptr_t)&index.space_sets[1];
    struct index_chunk *chunk = (struct index_chunk *)(uintptr_t)&index.chunks[2];
    (void)state;
    *number = NR_CHUNKS;
    seal(&index);
    assert_false(index_take(&again, index.bytes, index.size, &identity));
    *number = NR_CHUNKS - 1;
    seal(&index);
    assert_true(index_take(&again, index.bytes, index.size, &identity));
    chunk->nr_spaces++;
    seal(&index);
    assert_false(index_take(&again, index.bytes, index.size, &identity));
    free(index.bytes);
}

static void a_set_has_each_number_once(void **state)
{
    struct space_set set = {0};
    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        assert_true(space_set_add(&set, i % 10));
    assert_int_equal(set.count, 10);
    free(set.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_knows_spaces_and_errors_of_chunks),
        cmocka_unit_test(chunks_are_wanted_by_space),
        cmocka_unit_test(chunks_are_wanted_by_address_and_space),
        cmocka_unit_test(sets_that_lead_out_of_an_index_are_refused),
        cmocka_unit_test(a_set_has_each_number_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
