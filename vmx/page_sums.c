/* Kind: core, hot */
#include "vmx/page_sums.h"

#include "vmx/guest_walk.h"

/* Quadwords. One of each of the first cache lines, since a page that is not full is full from its start on; then one
 * now and then. Not the first ones of lines: the first instructions of functions are alike. */
#define NEAR 8u
#define SAMPLES 16u
#define LINE 8u
#define FAR_STRIDE ((RECORD_PAGE_SIZE / sizeof(uint64_t) - NEAR * LINE) / (SAMPLES - NEAR))

/* A sum does: what a device writes over a page is another page. */
static inline uint32_t sum_of(const void *page)
{
    const uint64_t *words = page;
    uint64_t sum = 0;

#pragma GCC unroll 16
    for (uint32_t i = 0; i < SAMPLES; i++)
        sum += words[i < NEAR ? i * LINE + (5 * i + 3) % LINE
                              : NEAR * LINE + (i - NEAR) * FAR_STRIDE + 11 * i % FAR_STRIDE];
    return (uint32_t)((sum * HASH_FACTOR) >> 32);
}

/* Where there is no room, one is forgotten, another one each time. */
void page_sums_note(struct page_sums *sums, uint64_t gpa, const void *page)
{
    const uint32_t tag = page_sums_tag(gpa), sum = sum_of(page);
    struct page_sums_set *set = &sums->sets[tag % NR_PAGE_SUMS];
    uint32_t way = 0;

    while (way < PAGE_SUMS_WAYS && set->tags[way] != tag && set->tags[way] != 0)
        way++;
    if (way == PAGE_SUMS_WAYS)
        way = sum % PAGE_SUMS_WAYS;
    set->tags[way] = tag;
    set->sums[way] = sum;
}

/* Not inline: most pages were never sent, and are not to pay for its registers. */
__attribute__((noinline)) bool page_sums_differ_in(const struct page_sums_set *set, uint32_t tag, const void *page)
{
    uint32_t way = 0;

    for (; set->tags[way] != tag; way++)
        if (set->tags[way] == 0 || way == PAGE_SUMS_WAYS - 1)
            return set->tags[way] != 0;
    return set->sums[way] != sum_of(page);
}
