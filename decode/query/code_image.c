#include "decode/query/code_image.h"

#include <stdlib.h>

#include "decode/capture/list.h"

struct addresses {
    uint64_t *items;
    size_t count, room;
};

static bool add_address(struct addresses *addresses, uint64_t gva)
{
    void *items = addresses->items;
    uint64_t *place = list_add(&items, &addresses->count, &addresses->room, sizeof(*place));
    addresses->items = items;
    if (place)
        *place = gva;
    return place != NULL;
}

/* Add the addresses that the run of a MAP record names and whose physical page was executed. A run may be a large page,
 * most of which was never executed. */
static bool add_run(struct addresses *addresses, const struct code_pages *pages, const struct record_map_run *run)
{
    bool good = true;
    for (uint64_t i = 0; i < run->pages && good; i++) {
        uint64_t until = UINT64_MAX;
        if (code_memory_at(&pages->memory, false, run->gpa + i * RECORD_PAGE_SIZE, UINT64_MAX, &until))
            good = add_address(addresses, run->linear + i * RECORD_PAGE_SIZE);
    }
    return good;
}

/* Every page-aligned address at which any space may have had code. */
static bool collect_addresses(struct addresses *addresses, const struct code_pages *pages)
{
    bool good = true;
    for (size_t i = 0; i < pages->count && good; i++)
        if (!pages->records[i].root)
            good = add_address(addresses, pages->records[i].gva);
    for (size_t i = 0; i < pages->nr_maps && good; i++)
        for (size_t k = 0; k < pages->maps[i].nr_runs && good; k++)
            good = add_run(addresses, pages, &pages->maps[i].runs[k]);
    return good;
}

static int compare_addresses(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Add the page that was at an address then, if it is known. */
static bool add_page(struct code_image *image, const struct code_pages *pages, uint64_t space, uint64_t at,
                     uint64_t gva)
{
    const struct code_found found = code_pages_find(pages, space, at, gva);
    if (!found.page)
        return true;
    void *items = image->pages;
    struct code_image_page *place = list_add(&items, &image->nr_pages, &image->room, sizeof(*place));
    image->pages = items;
    if (!place)
        return false;
    *place = (struct code_image_page){gva, found.page};
    image->inferred += found.inferred;
    return true;
}

bool code_image_collect(struct code_image *image, const struct code_pages *pages, uint64_t space, uint64_t at)
{
    struct addresses addresses = {0};
    *image = (struct code_image){0};
    bool good = collect_addresses(&addresses, pages);
    if (addresses.count)
        qsort(addresses.items, addresses.count, sizeof(*addresses.items), compare_addresses);
    for (size_t i = 0; i < addresses.count && good; i++)
        if (i == 0 || addresses.items[i] != addresses.items[i - 1])
            good = add_page(image, pages, space, at, addresses.items[i]);
    free(addresses.items);
    return good;
}

static bool add_symbol(struct code_image *image, const struct name *name)
{
    void *items = image->symbols;
    const struct name **place = list_add(&items, &image->nr_symbols, &image->symbols_room, sizeof(*place));
    image->symbols = items;
    if (place)
        *place = name;
    return place != NULL;
}

bool code_image_name(struct code_image *image, struct names *names, const struct code_pages *pages, uint64_t cr3,
                     uint64_t at)
{
    bool good = true;
    for (size_t i = 0; i < image->nr_pages && good; i++) {
        const uint64_t begin = image->pages[i].gva, end = begin + RECORD_PAGE_SIZE;
        for (uint64_t address = begin; address < end && address >= begin && good;) {
            const struct name *name = names_find(names, pages, cr3, at, address);
            if (name->symbol && name->begin == address)
                good = add_symbol(image, name);
            address = name->end > address ? name->end : end;
        }
    }
    return good;
}

void code_image_free(struct code_image *image)
{
    free(image->pages);
    free(image->symbols);
    *image = (struct code_image){0};
}
