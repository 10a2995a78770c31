/* Batches as bytes: a struct flow_batch, followed by what it points to. */
#include <stdlib.h>
#include <string.h>

#include "decode/flow/stream_state.h"

#define PAGE_BYTES (128u << 10)
#define ALIGNED(size) (((size) + 15) & ~(size_t)15)

/* What a batch points to, and how many bytes of it. */
static const void *payload_of(const struct flow_batch *batch, size_t *size)
{
    switch (batch->kind) {
    case FLOW_BATCH_ITEMS:
        *size = batch->count * sizeof(*batch->items);
        return batch->items;
    case FLOW_BATCH_END:
        *size = sizeof(*batch->result);
        return batch->result;
    case FLOW_BATCH_GAP:
        *size = sizeof(*batch->gap);
        return batch->gap;
    case FLOW_BATCH_TEXT:
        *size = batch->count;
        return batch->text;
    default:
        *size = 0;
        return NULL;
    }
}

static struct stream_page *add_page(struct stream_page **first, struct stream_page **last, size_t least)
{
    const size_t room = least > PAGE_BYTES ? least : PAGE_BYTES;
    struct stream_page *page = malloc(sizeof(*page) + room);
    if (!page)
        return NULL;
    page->next = NULL;
    page->used = 0;
    page->room = room;
    if (*last)
        (*last)->next = page;
    else
        *first = page;
    *last = page;
    return page;
}

size_t stream_page_put(struct stream_page **first, struct stream_page **last, const struct flow_batch *batch)
{
    size_t size;
    const void *payload = payload_of(batch, &size);
    const bool tagged = batch->kind == FLOW_BATCH_ITEMS && batch->tags;
    const size_t head = ALIGNED(sizeof(*batch)), bytes = ALIGNED(size);
    const size_t all = head + bytes + (tagged ? ALIGNED(batch->count) : 0);
    struct stream_page *page = *last;
    if ((!page || page->room - page->used < all) && !(page = add_page(first, last, all)))
        return 0;
    char *to = page->bytes + page->used;
    memcpy(to, batch, sizeof(*batch));
    if (size > 0)
        memcpy(to + head, payload, size);
    if (tagged)
        memcpy(to + head + bytes, batch->tags, batch->count);
    page->used += all;
    return all;
}

bool stream_page_read(struct flow_batch *batch, const struct stream_page *page, size_t *at)
{
    size_t size;
    if (*at >= page->used)
        return false;
    const char *from = page->bytes + *at;
    memcpy(batch, from, sizeof(*batch));
    payload_of(batch, &size);
    const void *payload = from + ALIGNED(sizeof(*batch));
    *at += ALIGNED(sizeof(*batch)) + ALIGNED(size);
    switch (batch->kind) {
    case FLOW_BATCH_ITEMS:
        batch->items = payload;
        if (batch->tags) {
            batch->tags = (const uint8_t *)payload + ALIGNED(size);
            *at += ALIGNED(batch->count);
        }
        break;
    case FLOW_BATCH_END:
        batch->result = payload;
        break;
    case FLOW_BATCH_GAP:
        batch->gap = payload;
        break;
    case FLOW_BATCH_TEXT:
        batch->text = payload;
        break;
    default:
        break;
    }
    return true;
}
