/* Kind: core, hot */
#include "vmx/code/page_sums.h"

#include "vmx/guest/walk.h"

/* Sample positions, in quadwords: one in each of the first cache lines, because a partly used page is used from its
 * start; then at regular distances. Not the first quadword of a line, because many functions begin with the same bytes.
 */
#define NEAR 8u
#define SAMPLES 16u
#define LINE 8u
#define FAR_STRIDE ((RECORD_PAGE_SIZE / sizeof(uint64_t) - NEAR * LINE) / (SAMPLES - NEAR))

uint32_t page_sum(const void *page)
{
    const uint64_t *words = page;
    uint64_t sum = 0;

#pragma GCC unroll 16
    for (uint32_t i = 0; i < SAMPLES; i++)
        sum += words[i < NEAR ? i * LINE + (5 * i + 3) % LINE
                              : NEAR * LINE + (i - NEAR) * FAR_STRIDE + 11 * i % FAR_STRIDE];
    return (uint32_t)((sum * HASH_FACTOR) >> 32);
}

/* In a full set a page replaces another one, chosen by its sum. */
void page_sums_note(struct page_sums *sums, uint64_t gpa, const void *page)
{
    const uint32_t tag = page_sums_tag(gpa), sum = page_sum(page);
    struct page_sums_set *set = &sums->sets[tag % NR_PAGE_SUMS];
    uint32_t way = 0;

    while (way < PAGE_SUMS_WAYS && set->tags[way] != tag && set->tags[way] != 0)
        way++;
    if (way == PAGE_SUMS_WAYS)
        way = sum % PAGE_SUMS_WAYS;
    set->tags[way] = tag;
    set->sums[way] = sum;
}

/* Not inline: most pages were never sent, and should not pay for the registers that it saves. */
__attribute__((noinline)) enum page_sent page_sums_find_in(const struct page_sums_set *set, uint32_t tag, uint32_t *sum)
{
    uint32_t way = 0;

    for (; set->tags[way] != tag; way++)
        if (set->tags[way] == 0 || way == PAGE_SUMS_WAYS - 1)
            return set->tags[way] != 0 ? PAGE_FORGOTTEN : PAGE_NEVER_SENT;
    *sum = set->sums[way];
    return PAGE_SENT;
}
