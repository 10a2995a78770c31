/*
 * The pages of guest code in a capture, each content once however often it was sent, with the claims of objects (files)
 * that contain it. Several objects may contain a page. Pure.
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
    uint64_t address;     /* of the page in the object */
    uint32_t differences; /* bytes that differ, per thousand */
};

struct page_content {
    const uint8_t *bytes; /* RECORD_PAGE_SIZE */
    uint64_t hash;
    uint64_t gva, gpa; /* where it was executed first */
    bool low, high;    /* executed at an address with bit 63 clear; set */
    struct page_claim *claims;
    size_t nr_claims, claim_room;
};

struct page_set {
    struct page_content *contents;
    size_t count, room;
    uint32_t *table; /* hash table of indices + 1 */
    size_t size;     /* a power of two */
};

/* Add all pages of a capture except the hypervisor's. Their bytes stay in the capture. false: out of memory. */
bool page_set_collect(struct page_set *set, const struct capture *capture);

/* Add one page, whose bytes must outlive the set. false: out of memory. */
bool page_set_add(struct page_set *set, const uint8_t *bytes, uint64_t gva, uint64_t gpa);
void page_set_free(struct page_set *set);

/* NULL: no page has these bytes. */
struct page_content *page_set_find(const struct page_set *set, const uint8_t bytes[RECORD_PAGE_SIZE]);

/* Note that the object has this page at an address. false: out of memory. */
bool page_content_claim(struct page_content *content, struct object *object, uint64_t address, uint32_t differences);

/* Keep only the claims with the fewest differences of each page. */
void page_set_settle(struct page_set *set);

/* Are there at least two different bytes? */
bool page_has_text(const uint8_t *bytes, size_t size);

#endif
