#include "decode/engine/space.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PAGES 64u

void spaces_init(struct spaces *spaces, const struct code_pages *pages)
{
    *spaces = (struct spaces){.pages = pages};
}

void spaces_forget(struct spaces *spaces)
{
    for (size_t i = 0; i < spaces->count; i++) {
        free(spaces->list[i]->pages);
        free(spaces->list[i]);
    }
    free(spaces->list);
    spaces->list = NULL;
    spaces->count = spaces->room = spaces->nr_pages = 0;
    spaces->current = NULL;
}

void spaces_free(struct spaces *spaces)
{
    spaces_forget(spaces);
    hot_free(&spaces->inferred);
}

/* Spaces and addresses are page-aligned, or nearly so: as good as no two pairs have the same product. */
static void count_inferred(struct spaces *spaces, const struct space *space, uint64_t gva,
                           const struct code_found *found)
{
    if (found->inferred)
        hot_add(&spaces->inferred, gva ^ (space->space + 1) * 0x9e3779b97f4a7c15ull, 1);
}

static size_t place_of(const struct space *space, uint64_t gva)
{
    return (size_t)((gva / RECORD_PAGE_SIZE * 0x9e3779b97f4a7c15ull) >> 32) & (space->size - 1);
}

/* The page's place, or the free one where it belongs. */
static struct space_page *find_page(const struct space *space, uint64_t gva)
{
    size_t at = place_of(space, gva);
    while (space->pages[at].bytes && space->pages[at].gva != gva)
        at = (at + 1) & (space->size - 1);
    return &space->pages[at];
}

/* Room for other pages, none of which is there yet. false: no memory. */
static bool make_room(struct space *space, size_t size)
{
    struct space_page *pages = calloc(size, sizeof(*pages));
    if (!pages)
        return false;
    struct space larger = *space;
    larger.pages = pages;
    larger.size = size;
    for (size_t i = 0; i < space->size; i++)
        if (space->pages[i].bytes)
            *find_page(&larger, space->pages[i].gva) = space->pages[i];
    free(space->pages);
    *space = larger;
    return true;
}

static void forget_pages(struct spaces *spaces, struct space *space)
{
    memset(space->pages, 0, space->size * sizeof(*space->pages));
    spaces->nr_pages -= space->count;
    space->count = 0;
    space->until = UINT64_MAX;
    space->version = ++spaces->versions;
}

/* Look up again the pages that may have changed by trace offset at. If one is not known any more, forget all. */
static void advance(struct spaces *spaces, struct space *space, uint64_t at)
{
    uint64_t until = UINT64_MAX;
    bool other = false;
    if (at < space->until)
        return;
    for (size_t i = 0; i < space->size; i++) {
        struct space_page *page = &space->pages[i];
        if (!page->bytes)
            continue;
        if (page->until <= at) {
            const struct code_found found = code_pages_find(spaces->pages, space->space, at, page->gva);
            if (!found.page) {
                forget_pages(spaces, space);
                return;
            }
            count_inferred(spaces, space, page->gva, &found);
            if (memcmp(found.page->bytes, page->bytes, RECORD_PAGE_SIZE) != 0) {
                page->bytes = found.page->bytes;
                page->known = found.page->known;
                other = true;
            }
            page->until = found.until;
        }
        until = page->until < until ? page->until : until;
    }
    space->until = until;
    if (other)
        space->version = ++spaces->versions;
}

static struct space *add_space(struct spaces *spaces, uint64_t name)
{
    if (spaces->count == spaces->room) {
        const size_t room = spaces->room ? 2 * spaces->room : 16;
        struct space **more = realloc(spaces->list, room * sizeof(struct space *));
        if (!more)
            return NULL;
        spaces->list = more;
        spaces->room = room;
    }
    struct space *space = calloc(1, sizeof(*space));
    if (!space)
        return NULL;
    *space = (struct space){.space = name, .version = ++spaces->versions, .until = UINT64_MAX};
    if (!make_room(space, FIRST_PAGES)) {
        free(space);
        return NULL;
    }
    spaces->list[spaces->count++] = space;
    return space;
}

/* Moved to the front. NULL: no memory. */
static struct space *find_space(struct spaces *spaces, uint64_t name)
{
    size_t i = 0;
    while (i < spaces->count && spaces->list[i]->space != name)
        i++;
    struct space *space = i < spaces->count ? spaces->list[i] : add_space(spaces, name);
    if (!space)
        return NULL;
    memmove(&spaces->list[1], &spaces->list[0], i * sizeof(spaces->list[0]));
    spaces->list[0] = space;
    return space;
}

bool spaces_set(struct spaces *spaces, uint64_t name, uint64_t at)
{
    spaces->at = at;
    if (!spaces->current || spaces->current->space != name)
        spaces->current = find_space(spaces, name);
    if (!spaces->current)
        return false;
    advance(spaces, spaces->current, at);
    return true;
}

const struct space_page *spaces_page(struct spaces *spaces, uint64_t gva)
{
    struct space *space = spaces->current;
    struct space_page *page = find_page(space, gva);
    if (page->bytes)
        return page;
    const struct code_found found = code_pages_find(spaces->pages, space->space, spaces->at, gva);
    if (!found.page)
        return NULL;
    if (2 * (space->count + 1) > space->size) {
        if (!make_room(space, 2 * space->size))
            return NULL;
        page = find_page(space, gva);
    }
    count_inferred(spaces, space, gva, &found);
    *page = (struct space_page){gva, found.until, found.page->bytes, found.page->known};
    space->count++;
    spaces->nr_pages++;
    space->until = found.until < space->until ? found.until : space->until;
    return page;
}
