/* Pages of the pieces of an image: the bytes that a page has, from each trace offset on at which they change. */
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/foreign/foreign_image.h"

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define SPACE_SHIFT 48u /* above the bits that distinguish linear addresses */

/* A version of a page that contains bytes of a piece. */
struct page {
    uint64_t space, number; /* number: the address divided by the page size */
    uint64_t from;          /* the trace offset from which on it is valid */
    uint64_t since;         /* pieces with this value or a lower one are in it */
    uint64_t laid;          /* since of the last piece that was laid on it */
    const uint8_t *bytes;   /* in a file, or own; NULL: none yet */
    uint8_t *own;           /* NULL, or a page of bytes followed by a page of flags: is the byte known? */
};

struct pages {
    struct page *items;
    size_t count, room;
};

static uint64_t first_page(const struct foreign_piece *piece)
{
    return piece->gva / PAGE;
}

static uint64_t count_pages(const struct foreign_piece *piece)
{
    return (piece->gva + (piece->size - 1)) / PAGE - first_page(piece) + 1;
}

/* Not by version. */
static int compare_pages(const void *left, const void *right)
{
    const struct page *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_since(const void *left, const void *right)
{
    const struct page *a = left, *b = right;
    const int by_page = compare_pages(a, b);
    return by_page ? by_page : a->since < b->since ? -1 : a->since > b->since;
}

static bool add_page(struct pages *pages, struct page page)
{
    void *items = pages->items;
    struct page *place = list_add(&items, &pages->count, &pages->room, sizeof(*place));
    pages->items = items;
    if (place)
        *place = page;
    return place != NULL;
}

/* Each page once for each time at which a piece of it was mapped, sorted. false: out of memory. */
static bool list_pieces(struct pages *pages, const struct foreign_image *image)
{
    for (size_t i = 0; i < image->nr_pieces; i++)
        for (uint64_t k = 0; k < count_pages(&image->pieces[i]); k++)
            if (!add_page(pages, (struct page){.space = image->pieces[i].space,
                                               .number = first_page(&image->pieces[i]) + k,
                                               .since = image->pieces[i].since}))
                return false;
    if (pages->count)
        qsort(pages->items, pages->count, sizeof(*pages->items), compare_since);
    size_t count = 0;
    for (size_t i = 0; i < pages->count; i++)
        if (i == 0 || compare_since(&pages->items[i], &pages->items[count - 1]))
            pages->items[count++] = pages->items[i];
    pages->count = count;
    return true;
}

/* The last of a page's times that is not after since; the first one if all are. */
static const struct page *find_time(const struct page *times, size_t count, uint64_t since)
{
    size_t last = 0;
    while (last + 1 < count && times[last + 1].since <= since)
        last++;
    return &times[last];
}

/* The versions of a page, of which a piece was mapped at count times. */
static bool add_versions(struct pages *versions, const struct foreign_image *image, const struct page *times,
                         size_t count)
{
    const struct page *now = find_time(times, count, 0);
    if (!add_page(versions, *now))
        return false;
    for (size_t i = 0; i < image->nr_changes && count > 1; i++) {
        struct page next = *find_time(times, count, image->changes[i].since);
        next.from = image->changes[i].at;
        if (next.since != now->since && !add_page(versions, next))
            return false;
        now = find_time(times, count, next.since);
    }
    return true;
}

/* All pages, by address and then by trace offset. false: out of memory. */
static bool list_versions(struct pages *versions, const struct foreign_image *image)
{
    struct pages times = {0};
    bool good = list_pieces(&times, image);
    for (size_t i = 0, count; i < times.count && good; i += count) {
        for (count = 1; i + count < times.count && !compare_pages(&times.items[i], &times.items[i + count]);)
            count++;
        good = add_versions(versions, image, &times.items[i], count);
    }
    free(times.items);
    return good;
}

/* Give a page its own memory, with the bytes that it has so far. false: out of memory. */
static bool own_bytes(struct foreign_image *image, struct page *page)
{
    if (page->own)
        return true;
    void *items = image->memory;
    uint8_t **place = list_add(&items, &image->nr_memory, &image->memory_room, sizeof(*place));
    image->memory = items;
    if (!place || !(*place = calloc(2, PAGE)))
        return false;
    if (page->bytes) {
        memcpy(*place, page->bytes, PAGE);
        memset(*place + PAGE, 1, PAGE);
    }
    page->bytes = page->own = *place;
    return true;
}

/* Fill a part of a page. from NULL: with bytes that are not known. false: it has different bytes, or out of memory. */
static bool lay_part(struct foreign_image *image, struct page *page, uint64_t offset, const uint8_t *from,
                     uint64_t size, struct error *error)
{
    if (from && size == PAGE && !page->own && (!page->bytes || image->later_wins || !memcmp(page->bytes, from, PAGE))) {
        page->bytes = from;
        return true;
    }
    if (!own_bytes(image, page))
        return error_set(error, ERROR_MEMORY, 0, "the images");
    uint8_t *bytes = page->own + offset, *known = bytes + PAGE;
    for (uint64_t i = 0; i < size && from; i++) {
        if (known[i] && bytes[i] != from[i] && !image->later_wins)
            return error_set(error, ERROR_IMAGE_TWICE, page->number * PAGE + offset + i, "two images");
        bytes[i] = from[i];
    }
    memset(known, from != NULL, (size_t)size);
    return true;
}

/* A mapping replaces whole pages of an earlier one: after the end of its file no byte of that is left. */
static void replace(struct page *page, uint64_t since)
{
    if (since > page->laid && page->laid > 0) {
        page->bytes = page->own;
        if (page->own)
            memset(page->own, 0, 2 * PAGE);
    }
    page->laid = since;
}

/* Lay a part of a piece on each version of a page that has it. *page: the first version; moved to the next page. */
static bool lay_page(struct foreign_image *image, const struct foreign_piece *piece, struct page **page,
                     const struct page *end, uint64_t done, uint64_t size, struct error *error)
{
    const uint8_t *from =
        piece->file == FOREIGN_NO_FILE ? NULL : image->files[piece->file].bytes + piece->offset + done;
    const struct page *first = *page;
    for (; *page < end && !compare_pages(*page, first); ++*page) {
        if ((*page)->since < piece->since)
            continue;
        replace(*page, piece->since);
        if (!lay_part(image, *page, (piece->gva + done) % PAGE, from, size, error))
            return false;
    }
    return true;
}

static bool lay_piece(struct foreign_image *image, const struct foreign_piece *piece, struct pages *pages,
                      struct error *error)
{
    const struct page first = {.space = piece->space, .number = first_page(piece)};
    struct page *page = bsearch(&first, pages->items, pages->count, sizeof(*pages->items), compare_pages);
    while (page > pages->items && !compare_pages(page - 1, page))
        page--;
    for (uint64_t done = 0; done < piece->size;) {
        const uint64_t room = PAGE - (piece->gva + done) % PAGE;
        const uint64_t size = room < piece->size - done ? room : piece->size - done;
        if (!lay_page(image, piece, &page, pages->items + pages->count, done, size, error))
            return false;
        done += size;
    }
    return true;
}

/* Guest-physical addresses equal linear ones, apart from bits that differ by space: no two pages share memory, so the
 * decoder cannot infer more mappings than the pieces have. */
static struct page_record *make_records(const struct page *list, size_t count)
{
    struct page_record *records = calloc(count + 1, sizeof(*records));
    uint64_t spaces = 0;
    for (size_t i = 0; records && i < count; i++) {
        spaces += i > 0 && list[i].space != list[i - 1].space;
        const uint8_t *known = list[i].own ? list[i].own + PAGE : NULL;
        records[i] = (struct page_record){.gva = list[i].number * PAGE,
                                          .gpa = (list[i].number * PAGE) ^ spaces << SPACE_SHIFT,
                                          .space = list[i].space ? list[i].space : CODE_SPACE_UNKNOWN,
                                          .from = list[i].from,
                                          .bytes = list[i].bytes,
                                          .known = known && memchr(known, 0, PAGE) ? known : NULL};
    }
    return records;
}

/* code_pages distinguishes spaces only if there is a map of one. If there are several spaces, make one, without
 * contents. *nr: 0 with one space. false: out of memory. */
static bool make_maps(struct code_map **maps, size_t *nr, const struct page *list, size_t count)
{
    *maps = NULL;
    *nr = 0;
    if (count == 0 || list[count - 1].space == 0)
        return true;
    *maps = calloc(1, sizeof(**maps));
    if (!*maps)
        return false;
    **maps = (struct code_map){.space = list[count - 1].space, .size = PAGE, .number = 1};
    *nr = 1;
    return true;
}

bool foreign_image_pages(struct foreign_image *image, struct code_pages *pages, struct error *error)
{
    size_t nr_maps = 0;
    struct code_map *maps = NULL;
    struct pages list = {0};
    bool good = list_versions(&list, image) || error_set(error, ERROR_MEMORY, 0, "the images");
    for (size_t i = 0; i < image->nr_pieces && good; i++)
        good = lay_piece(image, &image->pieces[i], &list, error);
    const size_t count = list.count;
    struct page_record *records = good ? make_records(list.items, count) : NULL;
    const bool mapped = good && make_maps(&maps, &nr_maps, list.items, count);
    free(list.items);
    if (!good)
        return false;
    if (records && mapped)
        return code_pages_build(pages, records, count, maps, nr_maps) ||
               error_set(error, ERROR_MEMORY, 0, "the images");
    free(records);
    free(maps);
    return error_set(error, ERROR_MEMORY, 0, "the images");
}
