/* Which file a page comes from, and how far its addresses are from the file's. */
#include "decode/names/names_state.h"

#define PAGE RECORD_PAGE_SIZE
#define NEIGHBOURS 256u /* pages on each side */

/* Is a neighbour that only the claim's object contains mapped at the same distance as in the object? inferred: accept
 * mappings that are inferred, without a record. */
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

/* Several files contain the page: the one whose neighbouring pages are mapped around it. */
static struct page_origin choose_claim(const struct names *names, const struct code_pages *pages, uint64_t space,
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
            return (struct page_origin){.object = confirmed->object, .moved = gva - confirmed->address};
        if (count > 1)
            break;
    }
    return (struct page_origin){.shared = content};
}

/* Before the kernel has page tables of its own it runs at other linear addresses: use the guest-physical address. */
static struct page_origin early_kernel(const struct names *names, const struct page_record *page, uint64_t gva)
{
    const uint64_t linked = page->gpa + names->slide.physical;
    if (!names->slide.known || !kernel_slide_is(&names->kernel, linked, page->bytes))
        return (struct page_origin){0};
    return (struct page_origin){.object = names->kernel_object, .moved = gva - linked};
}

struct page_origin names_page_origin(const struct names *names, const struct name_page *found, uint64_t at)
{
    const struct page_content *content = found->content;
    if (!content || content->nr_claims == 0)
        return early_kernel(names, found->page, found->gva);
    if (content->nr_claims > 1)
        return choose_claim(names, found->pages, found->space, at, content, found->gva);
    return (struct page_origin){.object = content->claims[0].object, .moved = found->gva - content->claims[0].address};
}

struct name_page names_page_find(const struct names *names, const struct code_pages *pages, uint64_t space, uint64_t at,
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

const struct name_page *names_page_cached(struct names *names, const struct code_pages *pages, uint64_t space,
                                          uint64_t at, uint64_t gva)
{
    const uint64_t hash = (gva / PAGE ^ space * 13 ^ (uintptr_t)pages) * 0x9e3779b97f4a7c15ull;
    struct name_page *recent = &names->recent[(hash >> 48) % NAME_PAGES];
    if (recent->pages != pages || recent->space != space || recent->gva != gva || at < recent->from ||
        at >= recent->until)
        *recent = names_page_find(names, pages, space, at, gva);
    return recent;
}
