#include "decode/names/kernel/kernel_slide.h"

#include "decode/names/similar.h"

#define STEP (2ull << 20) /* the smallest CONFIG_PHYSICAL_ALIGN */
#define FIRST 0xffffffff80000000ull
#define RANGE (1ull << 30) /* KERNEL_IMAGE_SIZE: modules start after it */
#define MOST_PAGES 64u     /* that are compared */
#define FEWEST_PAGES 2u    /* that must agree */
#define FEWEST_BYTES 256u  /* of a page that is compared */

bool kernel_slide_is(const struct kernel_image *kernel, uint64_t linked, const uint8_t bytes[RECORD_PAGE_SIZE])
{
    const uint8_t *own;
    const size_t size = kernel_image_page(kernel, linked, &own);
    return size >= FEWEST_BYTES && page_has_text(own, size) && similar_bytes(own, bytes, size) * 2 > size;
}

/* Up to MOST_PAGES pages at the kernel's addresses, evenly spread. */
static size_t choose(const struct page_content **chosen, const struct page_set *pages)
{
    size_t count = 0, seen = 0, taken = 0;
    for (size_t i = 0; i < pages->count; i++)
        count += pages->contents[i].gva - FIRST < RANGE;
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->contents[i].gva - FIRST >= RANGE)
            continue;
        if (count <= MOST_PAGES || seen * MOST_PAGES / count == taken)
            chosen[taken++] = &pages->contents[i];
        seen++;
    }
    return taken;
}

static struct kernel_slide try_slide(const struct kernel_image *kernel, uint64_t moved,
                                     const struct page_content **chosen, size_t count)
{
    struct kernel_slide slide = {.known = true, .moved = moved};
    for (size_t i = 0; i < count; i++) {
        const uint64_t linked = chosen[i]->gva - moved;
        if (!kernel_image_code(kernel, linked))
            continue;
        slide.pages++;
        if (!kernel_slide_is(kernel, linked, chosen[i]->bytes))
            continue;
        slide.agreeing++;
        slide.physical = linked - chosen[i]->gpa;
    }
    return slide;
}

void kernel_slide_find(struct kernel_slide *slide, const struct kernel_image *kernel, const struct page_set *pages)
{
    const struct page_content *chosen[MOST_PAGES];
    const size_t count = choose(chosen, pages);
    struct kernel_slide best = {0};
    size_t second = 0;
    uint64_t begin, end;
    kernel_image_extent(kernel, &begin, &end);
    *slide = (struct kernel_slide){0};
    if (begin < FIRST || end - FIRST > RANGE)
        return;
    const uint64_t lowest = 0 - (begin - FIRST) / STEP * STEP; /* negative, modulo 2^64 */
    for (uint64_t moved = lowest; end + moved - FIRST <= RANGE; moved += STEP) {
        const struct kernel_slide here = try_slide(kernel, moved, chosen, count);
        if (here.agreeing > best.agreeing) {
            second = best.agreeing;
            best = here;
        } else if (here.agreeing > second) {
            second = here.agreeing;
        }
    }
    /* Nearly all pages must agree at the best distance, and few at any other. */
    if (best.agreeing >= FEWEST_PAGES && best.agreeing * 10 >= best.pages * 9 && second * 4 <= best.agreeing)
        *slide = best;
}
