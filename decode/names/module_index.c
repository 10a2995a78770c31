#include "decode/names/module_index.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define PAGE RECORD_PAGE_SIZE
#define RUN 16u          /* bytes of a run, and its alignment */
#define ONE_OF 4u        /* only runs whose hash is a multiple of this are indexed and searched */
#define ENOUGH_BYTES 64u /* that must be compared */
#define FEWEST_BYTES 12u /* that must be compared if the code also ends at the same offset */
#define TAIL_SLACK 16u   /* code may end in bytes that equal the filling after it */
#define WORST 200u       /* differences, per thousand bytes */

static uint64_t run_hash(const uint8_t bytes[RUN])
{
    uint64_t words[2];
    memcpy(words, bytes, sizeof(words));
    const uint64_t hash = (words[0] * 0x9e3779b97f4a7c15ull ^ words[1]) * 0xc2b2ae3d27d4eb4full;
    return hash ^ hash >> 32;
}

/* Is the run indexed? Padding, which repeats, is not. */
static bool counts(const uint8_t *bytes, uint64_t hash)
{
    return hash % ONE_OF == 0 && memcmp(bytes, bytes + 8, 8) != 0;
}

static int compare(const void *left, const void *right)
{
    const struct module_run *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->content < b->content ? -1 : a->content > b->content;
}

static bool add_runs(struct module_index *index, const struct page_content *content, uint32_t number)
{
    for (uint32_t at = 0; at < PAGE; at += RUN) {
        const uint64_t hash = run_hash(content->bytes + at);
        if (!counts(content->bytes + at, hash))
            continue;
        struct module_run *run = list_add((void **)&index->runs, &index->nr_runs, &index->room, sizeof(*run));
        if (!run)
            return false;
        *run = (struct module_run){hash, number, at};
    }
    return true;
}

/* The kernel clears the memory of modules, or fills it with INT3, before it loads them. */
static size_t tail_of(const uint8_t *bytes)
{
    size_t tail = PAGE;
    const uint8_t last = bytes[PAGE - 1];
    while ((last == 0 || last == 0xcc) && tail > 0 && bytes[tail - 1] == last)
        tail--;
    return tail;
}

bool module_index_build(struct module_index *index, const struct page_set *pages,
                        bool (*wanted)(const void *context, const struct page_content *content), const void *context)
{
    *index = (struct module_index){0};
    index->votes = calloc(pages->count + 1, sizeof(*index->votes));
    index->tails = calloc(pages->count + 1, sizeof(*index->tails));
    bool good = index->votes && index->tails;
    for (size_t i = 0; good && i < pages->count; i++) {
        if (!wanted(context, &pages->contents[i]))
            continue;
        index->tails[i] = tail_of(pages->contents[i].bytes);
        good = add_runs(index, &pages->contents[i], (uint32_t)i);
    }
    if (index->nr_runs)
        qsort(index->runs, index->nr_runs, sizeof(*index->runs), compare);
    if (!good)
        module_index_free(index);
    return good;
}

void module_index_free(struct module_index *index)
{
    free(index->runs);
    free(index->votes);
    free(index->tails);
    *index = (struct module_index){0};
}

/* A page of a module's code. masked: bytes that are not compared. */
struct part_page {
    const uint8_t *bytes, *masked;
    size_t size;
    bool last;
};

/* Differences per thousand bytes that are not masked; UINT32_MAX: too many, or too few bytes to compare. */
static uint32_t differences(const struct part_page *page, const uint8_t *bytes, size_t tail)
{
    size_t looked_at = 0, different = 0;
    for (size_t i = 0; i < page->size; i++) {
        looked_at += !page->masked[i];
        different += !page->masked[i] && page->bytes[i] != bytes[i];
    }
    const bool ends_so = page->last && tail > 0 && tail <= page->size && page->size - tail < TAIL_SLACK;
    if (looked_at < (ends_so ? FEWEST_BYTES : ENOUGH_BYTES) || different * 1000 > looked_at * WORST)
        return UINT32_MAX;
    return (uint32_t)(different * 1000 / looked_at);
}

static size_t first_run(const struct module_index *index, uint64_t hash)
{
    size_t low = 0, high = index->nr_runs;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (index->runs[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Count for each page of the capture the runs that it has at the same offsets. */
static void vote(const struct module_index *index, const struct part_page *page)
{
    static const uint8_t none[RUN];
    for (uint32_t at = 0; at + RUN <= page->size; at += RUN) {
        if (memcmp(page->masked + at, none, RUN) != 0)
            continue;
        const uint64_t hash = run_hash(page->bytes + at);
        if (!counts(page->bytes + at, hash))
            continue;
        for (size_t i = first_run(index, hash); i < index->nr_runs && index->runs[i].hash == hash; i++)
            index->votes[index->runs[i].content] += index->runs[i].offset == at;
    }
}

/* Which pages are compared byte by byte: a run is equal, or this is the last page and the code ends where its does. */
static bool is_candidate(const struct module_index *index, const struct part_page *page, size_t content)
{
    const size_t tail = index->tails[content];
    return index->votes[content] || (page->last && tail > 0 && tail <= page->size && page->size - tail < TAIL_SLACK);
}

static bool claim_page(size_t *claimed, const struct module_index *index, struct page_set *pages,
                       const struct part_page *page, struct object *object, uint64_t address)
{
    for (size_t i = 0; i < pages->count; i++) {
        if (!is_candidate(index, page, i))
            continue;
        const uint32_t found = differences(page, pages->contents[i].bytes, index->tails[i]);
        if (found == UINT32_MAX)
            continue;
        if (!page_content_claim(&pages->contents[i], object, address, found))
            return false;
        ++*claimed;
    }
    return true;
}

bool module_index_claim(size_t *claimed, struct module_index *index, struct page_set *pages,
                        const struct module_text *text)
{
    *claimed = 0;
    for (size_t at = 0; at < text->size; at += PAGE) {
        const size_t left = text->size - at;
        const struct part_page page = {text->bytes + at, text->masked + at, left < PAGE ? left : PAGE, left <= PAGE};
        memset(index->votes, 0, pages->count * sizeof(*index->votes));
        vote(index, &page);
        if (!claim_page(claimed, index, pages, &page, text->object, at))
            return false;
    }
    return true;
}
