/*
 * What code pages were when they were sent, in short: whether a device has written one since. Core.
 *
 * EPT tells of what CPUs write, not of what devices do (DMA). So a page is looked at when the guest maps it: then no
 * device writes it any more. A sample of its bytes is compared, since all of them at each mapping would cost more than
 * all else that root does: 16 quadwords.
 */
#ifndef VMX_PAGE_SUMS_H
#define VMX_PAGE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/record.h"

#define PAGE_SUMS_WAYS 4u
#define NR_PAGE_SUMS 16384u /* sets: a power of two */

/* All zero at the start. */
struct page_sums {
    struct page_sums_set {
        uint32_t tags[PAGE_SUMS_WAYS]; /* page number + 1, modulo 2^32; from the first way on, 0: free */
        uint32_t sums[PAGE_SUMS_WAYS];
    } sets[NR_PAGE_SUMS];
};

/* The page at gpa was sent as it is. */
void page_sums_note(struct page_sums *sums, uint64_t gpa, const void *page);

/* The same where another page is the first of its set. */
bool page_sums_differ_in(const struct page_sums_set *set, uint32_t tag, const void *page);

static inline uint32_t page_sums_tag(uint64_t gpa)
{
    return (uint32_t)(gpa / RECORD_PAGE_SIZE) + 1;
}

/* Was the page sent, and is not as it was then? Also true where that has been forgotten. */
static inline bool page_sums_differ(const struct page_sums *sums, uint64_t gpa, const void *page)
{
    const uint32_t tag = page_sums_tag(gpa);
    const struct page_sums_set *set = &sums->sets[tag % NR_PAGE_SUMS];

    return set->tags[0] != 0 && page_sums_differ_in(set, tag, page);
}

#endif
