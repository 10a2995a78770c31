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

struct name_place names_place(const struct names *names, const struct name_page *found, uint64_t at)
{
    const struct page_content *content = found->content;
    if (!content || content->nr_claims == 0)
        return place_early(names, found->page, found->gva);
    if (content->nr_claims > 1)
        return place_among(names, found->pages, found->space, at, content, found->gva);
    return (struct name_place){.object = content->claims[0].object, .moved = found->gva - content->claims[0].address};
}

struct name_page names_page_look(const struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
                                 uint64_t gva)
{
    const struct code_found found = code_pages_find(pages, space, at, gva);
    return (struct name_page){.pages = pages,
                              .space = space,
                              .gva = gva,
                              .from = at,
                              .until = found.until,
                              .page = found.page,
                              .content = found.page ? page_set_find(&names->pages, found.page->bytes) : NULL};
}

const struct name_page *names_page(struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
                                   uint64_t gva)
{
    const uint64_t hash = (gva / PAGE ^ space * 13 ^ (uintptr_t)pages) * 0x9e3779b97f4a7c15ull;
    struct name_page *recent = &names->recent[(hash >> 48) % NAME_PAGES];
    if (recent->pages != pages || recent->space != space || recent->gva != gva || at < recent->from ||
        at >= recent->until)
        *recent = names_page_look(names, pages, space, at, gva);
    return recent;
}
