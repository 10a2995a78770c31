#include "decode/flow/libipt_image.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define SWITCHES_BEFORE_BUILD 256u
#define CACHE_BYTES (4ull << 30) /* libipt's own block caches count in; never thrown out */

static bool add_section(struct libipt_image *image, const char *file, uint64_t offset, uint64_t size, uint64_t gva,
                        struct error *error)
{
    int isid = pt_iscache_add_file(image->cache, file, offset, size, gva);
    int status = isid < 0 ? isid : pt_image_add_cached(image->image, image->cache, isid, NULL);
    return status >= 0 || error_set(error, ERROR_PAGE_IMAGE, gva, "%s", pt_errstr(pt_errcode(status)));
}

static bool write_page(int file, const uint8_t *bytes, struct error *error)
{
    size_t done = 0;
    while (done < RECORD_PAGE_SIZE) {
        ssize_t part = write(file, bytes + done, RECORD_PAGE_SIZE - done);
        if (part <= 0)
            return error_set(error, ERROR_PAGE_LAYOUT, 0, "code pages");
        done += (size_t)part;
    }
    return true;
}

/* libipt refuses a file that changes after it was added, so all pages are written first. */
static bool write_pages(struct libipt_image *image, uint64_t at, struct error *error)
{
    for (size_t i = 0; i < image->pages->count;)
        if (!write_page(image->file, code_pages_pick(image->pages, i, at, &i)->bytes, error))
            return false;
    return true;
}

/* One section for each run of neighbouring pages. */
static bool add_runs(struct libipt_image *image, struct error *error)
{
    const struct code_pages *pages = image->pages;
    char file[32];
    uint64_t start_gva = 0, start_offset = 0, size = 0, offset = 0;
    snprintf(file, sizeof(file), "/proc/self/fd/%d", image->file);
    for (size_t i = 0; i < pages->count; offset += RECORD_PAGE_SIZE) {
        const struct page_version *version = code_pages_pick(pages, i, 0, &i);
        if (size > 0 && version->gva != start_gva + size) {
            if (!add_section(image, file, start_offset, size, start_gva, error))
                return false;
            size = 0;
        }
        if (size == 0) {
            start_gva = version->gva;
            start_offset = offset;
        }
        size += RECORD_PAGE_SIZE;
    }
    return size == 0 || add_section(image, file, start_offset, size, start_gva, error);
}

bool libipt_image_init(struct libipt_image *image, const struct code_pages *pages, uint64_t at, struct error *error)
{
    *image = (struct libipt_image){.pages = pages, .file = memfd_create("code pages", MFD_CLOEXEC), .at = at};
    image->cache = pt_iscache_alloc("code pages");
    image->image = pt_image_alloc("code");
    if (image->file < 0 || !image->cache || !image->image || pt_iscache_set_limit(image->cache, CACHE_BYTES) < 0) {
        libipt_image_free(image);
        return error_set(error, ERROR_MEMORY, 0, "the image of the traced code");
    }
    while (image->next < pages->count && pages->by_time[image->next].from <= at)
        image->next++;
    if (write_pages(image, at, error) && add_runs(image, error))
        return true;
    libipt_image_free(image);
    return false;
}

void libipt_image_free(struct libipt_image *image)
{
    pt_image_free(image->image);
    pt_iscache_free(image->cache);
    if (image->file >= 0)
        close(image->file);
    image->image = NULL;
    image->cache = NULL;
    image->file = -1;
}

bool libipt_image_advance(struct libipt_image *image, uint64_t at)
{
    const struct code_pages *pages = image->pages;
    struct error reason = {0};
    if (!image->image)
        return false;
    image->at = at;
    while (image->next < pages->count && pages->by_time[image->next].from <= at) {
        const struct page_version *version = &pages->by_time[image->next++];
        if (version->nothing_new)
            continue;
        if (!add_section(image, pages->file, version->file_offset, RECORD_PAGE_SIZE, version->gva, &reason))
            return false;
        image->switched++;
    }
    return true;
}

bool libipt_image_tidy(struct libipt_image *image, uint64_t at)
{
    if (image->switched < SWITCHES_BEFORE_BUILD)
        return true;
    struct error reason = {0};
    libipt_image_free(image);
    return libipt_image_init(image, image->pages, at, &reason);
}
