/*
 * The pages of guest code that a capture has, each once however often it was sent, and which parts of files they are:
 * claims. A page may be a part of several files. Pure.
 */
#ifndef DECODE_NAMES_PAGE_SET_H
#define DECODE_NAMES_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

struct object;

struct page_claim {
    struct object *object;
    uint64_t address;     /* at which the object has this page */
    uint32_t differences; /* bytes of a thousand */
};

struct page_content {
    const uint8_t *bytes; /* RECORD_PAGE_SIZE */
    uint64_t hash;
    uint64_t gva, gpa; /* where it was executed first */
    bool low, high;    /* it was executed at an address with bit 63 clear, set */
    struct page_claim *claims;
    size_t nr_claims, claim_room;
};

struct page_set {
    struct page_content *contents;
    size_t count, room;
    uint32_t *table; /* indices + 1 by hash; a power of two */
    size_t size;
};

/* All pages of a capture but the hypervisor's; their bytes stay the capture's. false: no memory. */
bool page_set_collect(struct page_set *set, const struct capture *capture);

/* Add one page. false: no memory. */
bool page_set_add(struct page_set *set, const uint8_t *bytes, uint64_t gva, uint64_t gpa);
void page_set_free(struct page_set *set);

/* NULL: no page has these bytes. */
struct page_content *page_set_find(const struct page_set *set, const uint8_t bytes[RECORD_PAGE_SIZE]);

/* Say that the object has this page there. false: no memory. */
bool page_content_claim(struct page_content *content, struct object *object, uint64_t address, uint32_t differences);

/* Of all claims those with the fewest differences stay. */
void page_set_settle(struct page_set *set);

/* Is there anything in it but one byte, over and over? */
bool page_has_text(const uint8_t *bytes, size_t size);

#endif
