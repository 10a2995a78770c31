#include "decode/names/page_set.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define LEAST_SIZE 1024u

static uint64_t page_hash(const uint8_t bytes[RECORD_PAGE_SIZE])
{
    uint64_t lanes[4] = {1, 2, 3, 4}, words[4];
    for (size_t at = 0; at < RECORD_PAGE_SIZE; at += sizeof(words)) {
        memcpy(words, bytes + at, sizeof(words));
        for (unsigned i = 0; i < 4; i++) {
            lanes[i] = (lanes[i] ^ words[i]) * 0x9e3779b97f4a7c15ull;
            lanes[i] ^= lanes[i] >> 29;
        }
    }
    return (lanes[0] * 3 ^ lanes[1] * 5) + (lanes[2] * 7 ^ lanes[3] * 11);
}

bool page_has_text(const uint8_t *bytes, size_t size)
{
    return size > 1 && memcmp(bytes, bytes + 1, size - 1) != 0;
}

/* The slot of the page's index, or the free slot for it. */
static uint32_t *slot_of(const struct page_set *set, const uint8_t *bytes, uint64_t hash)
{
    size_t at = (size_t)(hash ^ hash >> 32) & (set->size - 1);
    while (set->table[at]) {
        const struct page_content *content = &set->contents[set->table[at] - 1];
        if (content->hash == hash && !memcmp(content->bytes, bytes, RECORD_PAGE_SIZE))
            break;
        at = (at + 1) & (set->size - 1);
    }
    return &set->table[at];
}

static bool grow(struct page_set *set)
{
    const size_t size = set->size ? 2 * set->size : LEAST_SIZE;
    uint32_t *table = calloc(size, sizeof(*table));
    if (!table)
        return false;
    free(set->table);
    set->table = table;
    set->size = size;
    for (size_t i = 0; i < set->count; i++)
        *slot_of(set, set->contents[i].bytes, set->contents[i].hash) = (uint32_t)i + 1;
    return true;
}

bool page_set_add(struct page_set *set, const uint8_t *bytes, uint64_t gva, uint64_t gpa)
{
    const uint64_t hash = page_hash(bytes);
    if ((set->count + 1) * 2 > set->size && !grow(set))
        return false;
    uint32_t *slot = slot_of(set, bytes, hash);
    if (!*slot) {
        struct page_content *content = list_add((void **)&set->contents, &set->count, &set->room, sizeof(*content));
        if (!content)
            return false;
        *content = (struct page_content){.bytes = bytes, .hash = hash, .gva = gva, .gpa = gpa};
        *slot = (uint32_t)set->count;
    }
    struct page_content *content = &set->contents[*slot - 1];
    content->low = content->low || !(gva >> 63);
    content->high = content->high || gva >> 63;
    return true;
}

bool page_set_collect(struct page_set *set, const struct capture *capture)
{
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        struct record_page page;
        if (record->header.kind != RECORD_PAGE || record->header.length < sizeof(page) + RECORD_PAGE_SIZE)
            continue;
        memcpy(&page, record->payload, sizeof(page));
        if (!(page.flags & RECORD_PAGE_ROOT) && !page_set_add(set, record->payload + sizeof(page), page.gva, page.gpa))
            return false;
    }
    return true;
}

void page_set_free(struct page_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->contents[i].claims);
    free(set->contents);
    free(set->table);
    *set = (struct page_set){0};
}

struct page_content *page_set_find(const struct page_set *set, const uint8_t bytes[RECORD_PAGE_SIZE])
{
    if (set->count == 0)
        return NULL;
    const uint32_t *slot = slot_of(set, bytes, page_hash(bytes));
    return *slot ? &set->contents[*slot - 1] : NULL;
}

bool page_content_claim(struct page_content *content, struct object *object, uint64_t address, uint32_t differences)
{
    struct page_claim *claim =
        list_add((void **)&content->claims, &content->nr_claims, &content->claim_room, sizeof(*claim));
    if (claim)
        *claim = (struct page_claim){object, address, differences};
    return claim;
}

void page_set_settle(struct page_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct page_content *content = &set->contents[i];
        uint32_t least = UINT32_MAX;
        size_t kept = 0;
        for (size_t j = 0; j < content->nr_claims; j++)
            least = content->claims[j].differences < least ? content->claims[j].differences : least;
        for (size_t j = 0; j < content->nr_claims; j++)
            if (content->claims[j].differences == least)
                content->claims[kept++] = content->claims[j];
        content->nr_claims = kept;
    }
}
