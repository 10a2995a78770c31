#include "decode/code/code_memory.h"

#include <stdlib.h>

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_page(const struct page_record *record, bool root, uint64_t gpa)
{
    return record->root != root ? (int)record->root - (int)root : order(record->gpa, gpa);
}

static int compare_versions(const void *left, const void *right)
{
    const struct page_record *a = *(const struct page_record *const *)left,
                             *b = *(const struct page_record *const *)right;
    int by_page = compare_page(a, b->root, b->gpa);
    if (by_page)
        return by_page;
    if (a->from != b->from)
        return order(a->from, b->from);
    return a->number != b->number ? order(a->number, b->number) : order(a->file_offset, b->file_offset);
}

bool code_memory_build(struct code_memory *memory, const struct page_record *records, size_t count)
{
    *memory = (struct code_memory){malloc((count + 1) * sizeof(*memory->versions)), 0};
    if (!memory->versions)
        return false;
    for (size_t i = 0; i < count; i++)
        if (records[i].from != UINT64_MAX)
            memory->versions[memory->count++] = &records[i];
    if (memory->count)
        qsort(memory->versions, memory->count, sizeof(*memory->versions), compare_versions);
    return true;
}

void code_memory_free(struct code_memory *memory)
{
    free(memory->versions);
    *memory = (struct code_memory){0};
}

/* The index after the page's last version that is valid at the offset. */
static size_t versions_until(const struct code_memory *memory, bool root, uint64_t gpa, uint64_t at)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int by_page = compare_page(memory->versions[middle], root, gpa);
        if (by_page < 0 || (by_page == 0 && memory->versions[middle]->from <= at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct page_record *code_memory_at(const struct code_memory *memory, bool root, uint64_t gpa, uint64_t at,
                                         uint64_t *until)
{
    size_t i = versions_until(memory, root, gpa, at);
    const struct page_record *version = i > 0 ? memory->versions[i - 1] : NULL;
    const struct page_record *next = i < memory->count ? memory->versions[i] : NULL;
    if (next && compare_page(next, root, gpa))
        next = NULL;
    if (version && compare_page(version, root, gpa))
        version = NULL;
    if (next && next->from < *until)
        *until = next->from;
    return version ? version : next;
}
