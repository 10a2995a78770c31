#include "tests/judge/libipt_image.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_BYTES                                                                                                    \
    (32ull << 20)           /* libipt's own block caches count in. A mapping a page: 64 threads may have as many */
#define CACHE_SECTIONS 8192 /* libipt looks through all that it has for each new one */
#define IMAGE_SECTIONS 500000u

static bool add_section(struct libipt_image *image, uint64_t gva, const struct page_record *page)
{
    struct libipt_images *all = image->all;
    int isid = pt_iscache_add_file(all->cache, all->pages->file, page->file_offset, RECORD_PAGE_SIZE, gva);
    if (isid < 0 || pt_image_add_cached(image->image, all->cache, isid, NULL) < 0)
        return false;
    all->sections++;
    all->highest = isid > all->highest ? isid : all->highest;
    return true;
}

/* Spaces and addresses are page-aligned, or nearly so: as good as no two pairs have the same product. */
static void count_inferred(struct libipt_image *image, uint64_t gva, const struct code_found *found)
{
    if (found->inferred)
        hot_add(&image->all->inferred, gva ^ (image->space + 1) * 0x9e3779b97f4a7c15ull, 1);
}

static bool add_page(struct libipt_image *image, uint64_t gva, const struct code_found *found)
{
    if (image->count == image->room) {
        size_t room = image->room ? 2 * image->room : 64;
        struct libipt_page *more = realloc(image->pages, room * sizeof(*more));
        if (!more)
            return false;
        image->pages = more;
        image->room = room;
    }
    if (!add_section(image, gva, found->page))
        return false;
    count_inferred(image, gva, found);
    image->pages[image->count++] = (struct libipt_page){gva, found->until, found->page};
    image->until = found->until < image->until ? found->until : image->until;
    return true;
}

/* libipt has no section for the address. */
static int read_memory(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *context)
{
    struct libipt_image *image = context;
    const uint64_t offset = ip % RECORD_PAGE_SIZE, gva = ip - offset;
    (void)asid;
    const struct code_found found = code_pages_find(image->all->pages, image->space, image->all->at, image->base + gva);
    if (!found.page)
        return -pte_nomap;
    if (!add_page(image, gva, &found))
        return -pte_bad_image;
    size = size < RECORD_PAGE_SIZE - offset ? size : RECORD_PAGE_SIZE - offset;
    memcpy(buffer, found.page->bytes + offset, size);
    return (int)size;
}

static bool empty_image(struct libipt_image *image)
{
    struct pt_image *empty = pt_image_alloc("code");
    if (!empty || pt_image_set_callback(empty, read_memory, image) < 0) {
        pt_image_free(empty);
        return false;
    }
    pt_image_free(image->image);
    image->image = empty;
    image->count = 0;
    image->until = UINT64_MAX;
    return true;
}

/* Update the pages that may have changed by trace offset at. If one is not known any more, start with an empty image,
 * because libipt cannot remove a section from an image. */
static bool advance(struct libipt_image *image, uint64_t at)
{
    uint64_t until = UINT64_MAX;
    if (at < image->until)
        return true;
    for (size_t i = 0; i < image->count; i++) {
        struct libipt_page *page = &image->pages[i];
        if (page->until <= at) {
            const struct code_found found =
                code_pages_find(image->all->pages, image->space, at, image->base + page->gva);
            if (!found.page)
                return empty_image(image);
            if (memcmp(found.page->bytes, page->page->bytes, RECORD_PAGE_SIZE) &&
                !add_section(image, page->gva, found.page))
                return false;
            count_inferred(image, page->gva, &found);
            page->page = found.page;
            page->until = found.until;
        }
        until = page->until < until ? page->until : until;
    }
    image->until = until;
    return true;
}

static void free_image(struct libipt_image *image)
{
    if (!image)
        return;
    pt_image_free(image->image);
    free(image->pages);
    free(image);
}

static struct libipt_image *add_space(struct libipt_images *images, uint64_t space)
{
    if (images->count == images->room) {
        size_t room = images->room ? 2 * images->room : 16;
        struct libipt_image **more = realloc(images->spaces, room * sizeof(struct libipt_image *));
        if (!more)
            return NULL;
        images->spaces = more;
        images->room = room;
    }
    struct libipt_image *image = calloc(1, sizeof(*image));
    if (!image)
        return NULL;
    *image = (struct libipt_image){.all = images, .space = space};
    if (!empty_image(image)) {
        free_image(image);
        return NULL;
    }
    images->spaces[images->count++] = image;
    return image;
}

/* Moved to the front. NULL: no memory. */
static struct libipt_image *find_space(struct libipt_images *images, uint64_t space)
{
    size_t i = 0;
    while (i < images->count && images->spaces[i]->space != space)
        i++;
    struct libipt_image *image = i < images->count ? images->spaces[i] : add_space(images, space);
    if (!image)
        return NULL;
    memmove(&images->spaces[1], &images->spaces[0], i * sizeof(images->spaces[0]));
    images->spaces[0] = image;
    return image;
}

bool libipt_images_set(struct libipt_images *images, uint64_t space, uint64_t at)
{
    images->at = at;
    if (!images->current || images->current->space != space)
        images->current = find_space(images, space);
    if (!images->current)
        return false;
    const struct code_segments *segments = &images->pages->segments;
    const struct code_segment segment = code_segments_at(segments, at);
    const uint64_t base =
        segments->plain_ips && segment.stepped && segment.base % RECORD_PAGE_SIZE == 0 ? segment.base : 0;
    if (base == images->current->base)
        return advance(images->current, at);
    images->current->base = base;
    return empty_image(images->current);
}

bool libipt_images_init(struct libipt_images *images, const struct code_pages *pages, struct error *error)
{
    *images = (struct libipt_images){.pages = pages, .cache = pt_iscache_alloc("code pages")};
    if (images->cache && pt_iscache_set_limit(images->cache, CACHE_BYTES) >= 0)
        return true;
    libipt_images_free(images);
    return error_set(error, ERROR_MEMORY, 0, "the image of the traced code");
}

void libipt_images_free(struct libipt_images *images)
{
    for (size_t i = 0; i < images->count; i++)
        free_image(images->spaces[i]);
    free(images->spaces);
    pt_iscache_free(images->cache);
    hot_free(&images->inferred);
    images->spaces = NULL;
    images->count = images->room = 0;
    images->current = NULL;
    images->cache = NULL;
}

bool libipt_images_tidy(struct libipt_images *images)
{
    struct error reason = {0};
    images->current = NULL;
    if (images->cache && images->sections < IMAGE_SECTIONS && images->highest < CACHE_SECTIONS)
        return true;
    struct hot inferred = images->inferred;
    images->inferred = (struct hot){0};
    libipt_images_free(images);
    bool good = libipt_images_init(images, images->pages, &reason);
    images->inferred = inferred;
    return good;
}
