/*
 * Checksums of code pages as they were sent, to notice that a device has written one since. Core.
 *
 * EPT violations report what CPUs write, not what devices write by DMA. So a page is checked when the guest maps it: by
 * then no device writes it any more. Only a sample of 16 quadwords is compared: comparing all bytes at each mapping
 * would cost more than all the rest of root mode.
 */
#ifndef VMX_CODE_PAGE_SUMS_H
#define VMX_CODE_PAGE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/record.h"

#define PAGE_SUMS_WAYS 4u
#define NR_PAGE_SUMS 16384u /* sets: a power of two */

/* All zero at the start. */
struct page_sums {
    struct page_sums_set {
        uint32_t tags[PAGE_SUMS_WAYS]; /* page number + 1, modulo 2^32; 0: this way and all after it are free */
        uint32_t sums[PAGE_SUMS_WAYS];
    } sets[NR_PAGE_SUMS];
};

uint32_t page_sum(const void *page);

/* The page at gpa was sent with these bytes. */
void page_sums_note(struct page_sums *sums, uint64_t gpa, const void *page);

enum page_sent {
    PAGE_NEVER_SENT,
    PAGE_SENT,     /* with this sum */
    PAGE_FORGOTTEN /* perhaps, but its set is full of other pages */
};

/* page_sums_find where the first way of the page's set is in use. */
enum page_sent page_sums_find_in(const struct page_sums_set *set, uint32_t tag, uint32_t *sum);

static inline uint32_t page_sums_tag(uint64_t gpa)
{
    return (uint32_t)(gpa / RECORD_PAGE_SIZE) + 1;
}

/* Was the page at gpa sent, and with which sum? Pages 2^44 bytes apart are taken for one another: the caller checks
 * that there is memory at gpa before it reads the page. */
static inline enum page_sent page_sums_find(const struct page_sums *sums, uint64_t gpa, uint32_t *sum)
{
    const uint32_t tag = page_sums_tag(gpa);
    const struct page_sums_set *set = &sums->sets[tag % NR_PAGE_SUMS];

    if (set->tags[0] == tag) {
        *sum = set->sums[0];
        return PAGE_SENT;
    }
    return set->tags[0] != 0 ? page_sums_find_in(set, tag, sum) : PAGE_NEVER_SENT;
}

#endif
