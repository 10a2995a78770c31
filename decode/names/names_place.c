/* Which file a page is of, and where that was put. */
#include "decode/names/names_state.h"

#define PAGE RECORD_PAGE_SIZE
#define NEIGHBOURS 256u /* pages on each side */

/* Does a page that only the claim's object has stand as far from this one as in the object? inferred: one of which no
 * record says so is good enough. */
static bool is_confirmed(const struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
                         const struct page_claim *claim, uint64_t gva, bool inferred)
{
    for (uint64_t i = 1; i <= 2 * NEIGHBOURS; i++) {
        const uint64_t distance = (i % 2 ? (i + 1) / 2 : 0 - i / 2) * PAGE;
        const struct code_found found = code_pages_find(pages, space, at, gva + distance);
        const struct page_content *content =
            found.page && (inferred || !found.inferred) ? page_set_find(&names->pages, found.page->bytes) : NULL;
        if (content && content->nr_claims == 1 && content->claims[0].object == claim->object &&
            content->claims[0].address == claim->address + distance)
            return true;
    }
    return false;
}

/* Several files have the same page. */
static struct name_place place_among(const struct names *names, const struct code_pages *pages, uint64_t space,
                                     uint64_t at, const struct page_content *content, uint64_t gva)
{
    for (unsigned inferred = 0; inferred < 2; inferred++) {
        const struct page_claim *confirmed = NULL;
        size_t count = 0;
        for (size_t i = 0; i < content->nr_claims; i++)
            if (is_confirmed(names, pages, space, at, &content->claims[i], gva, inferred)) {
                confirmed = &content->claims[i];
                count++;
            }
        if (count == 1)
            return (struct name_place){.object = confirmed->object, .moved = gva - confirmed->address};
        if (count > 1)
            break;
    }
    return (struct name_place){.content = content};
}

/* The kernel runs at other addresses before it has page tables of its own: by where its memory is. */
static struct name_place place_early(const struct names *names, const struct page_record *page, uint64_t gva)
{
    const uint64_t linked = page->gpa + names->slide.physical;
    if (!names->slide.known || !kernel_slide_is(&names->kernel, linked, page->bytes))
        return (struct name_place){0};
    return (struct name_place){.object = names->kernel_object, .moved = gva - linked};
}

struct name_place names_place(const struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
                              const struct page_record *page, uint64_t gva)
{
    const struct page_content *content = page_set_find(&names->pages, page->bytes);
    if (!content || content->nr_claims == 0)
        return place_early(names, page, gva);
    if (content->nr_claims > 1)
        return place_among(names, pages, space, at, content, gva);
    return (struct name_place){.object = content->claims[0].object, .moved = gva - content->claims[0].address};
}
