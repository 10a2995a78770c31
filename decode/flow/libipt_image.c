#include "decode/flow/libipt_image.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode/cli/message.h"

#define SWITCHES_BEFORE_BUILD 256u
#define CACHE_BYTES (4ull << 30) /* libipt's own block caches count in; never thrown out */

static bool add_section(struct flow_image *image, const char *file, uint64_t offset, uint64_t size, uint64_t gva)
{
    int isid = pt_iscache_add_file(image->cache, file, offset, size, gva);
    int error = isid < 0 ? isid : pt_image_add_cached(image->image, image->cache, isid, NULL);
    if (error >= 0)
        return true;
    message_say("code at %#llx (offset %llu of %s) cannot be used: %s", (unsigned long long)gva,
                (unsigned long long)offset, file, pt_errstr(pt_errcode(error)));
    return false;
}

static bool write_page(int file, const uint8_t *bytes)
{
    size_t done = 0;
    while (done < RECORD_PAGE_SIZE) {
        ssize_t part = write(file, bytes + done, RECORD_PAGE_SIZE - done);
        if (part <= 0) {
            message_errno("the code pages cannot be laid out in memory");
            return false;
        }
        done += (size_t)part;
    }
    return true;
}

/* libipt refuses a file that changes after it was added, so all pages are written first. */
static bool write_pages(struct flow_image *image, uint64_t at)
{
    for (size_t i = 0; i < image->pages->count;)
        if (!write_page(image->file, code_pages_pick(image->pages, i, at, &i)->bytes))
            return false;
    return true;
}

/* One section for each run of neighbouring pages. */
static bool add_runs(struct flow_image *image)
{
    const struct code_pages *pages = image->pages;
    char file[32];
    uint64_t start_gva = 0, start_offset = 0, size = 0, offset = 0;
    snprintf(file, sizeof(file), "/proc/self/fd/%d", image->file);
    for (size_t i = 0; i < pages->count; offset += RECORD_PAGE_SIZE) {
        const struct page_version *version = code_pages_pick(pages, i, 0, &i);
        if (size > 0 && version->gva != start_gva + size) {
            if (!add_section(image, file, start_offset, size, start_gva))
                return false;
            size = 0;
        }
        if (size == 0) {
            start_gva = version->gva;
            start_offset = offset;
        }
        size += RECORD_PAGE_SIZE;
    }
    return size == 0 || add_section(image, file, start_offset, size, start_gva);
}

bool flow_image_init(struct flow_image *image, const struct code_pages *pages, uint64_t at)
{
    *image = (struct flow_image){.pages = pages, .file = memfd_create("code pages", MFD_CLOEXEC), .at = at};
    image->cache = pt_iscache_alloc("code pages");
    image->image = pt_image_alloc("code");
    if (image->file < 0 || !image->cache || !image->image || pt_iscache_set_limit(image->cache, CACHE_BYTES) < 0) {
        message_say("no memory for the image of the traced code");
        flow_image_free(image);
        return false;
    }
    while (image->next < pages->count && pages->by_time[image->next].from <= at)
        image->next++;
    if (write_pages(image, at) && add_runs(image))
        return true;
    flow_image_free(image);
    return false;
}

void flow_image_free(struct flow_image *image)
{
    pt_image_free(image->image);
    pt_iscache_free(image->cache);
    if (image->file >= 0)
        close(image->file);
    image->image = NULL;
    image->cache = NULL;
    image->file = -1;
}

bool flow_image_advance(struct flow_image *image, uint64_t at)
{
    const struct code_pages *pages = image->pages;
    if (!image->image)
        return false;
    image->at = at;
    while (image->next < pages->count && pages->by_time[image->next].from <= at) {
        const struct page_version *version = &pages->by_time[image->next++];
        if (version->nothing_new)
            continue;
        if (!add_section(image, pages->file, version->file_offset, RECORD_PAGE_SIZE, version->gva))
            return false;
        image->switched++;
    }
    return true;
}

static const struct page_version *page_at(const struct flow_image *image, uint64_t gva)
{
    const struct code_pages *pages = image->pages;
    size_t low = 0, high = pages->count, next;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pages->by_page[middle].gva < gva)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == pages->count || pages->by_page[low].gva != gva)
        return NULL;
    return code_pages_pick(pages, low, image->at, &next);
}

size_t flow_image_read(const struct flow_image *image, uint64_t gva, uint8_t *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        uint64_t offset = (gva + done) % RECORD_PAGE_SIZE;
        const struct page_version *page = page_at(image, gva + done - offset);
        size_t part = RECORD_PAGE_SIZE - offset < size - done ? RECORD_PAGE_SIZE - offset : size - done;
        if (!page)
            break;
        memcpy(bytes + done, page->bytes + offset, part);
        done += part;
    }
    return done;
}

bool flow_image_tidy(struct flow_image *image, uint64_t at)
{
    if (image->switched < SWITCHES_BEFORE_BUILD)
        return true;
    flow_image_free(image);
    return flow_image_init(image, image->pages, at);
}
