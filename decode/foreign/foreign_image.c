#include "decode/foreign/foreign_image.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define SPACE_SHIFT 48u /* above the bits that distinguish linear addresses */

bool foreign_image_add_file(struct foreign_image *image, const char *name, struct error *error)
{
    struct foreign_file *files = realloc(image->files, (image->nr_files + 1) * sizeof(*files));
    if (!files)
        return error_set(error, ERROR_MEMORY, 0, "%s", name);
    image->files = files;
    if (!foreign_file_read(&files[image->nr_files], name, error))
        return false;
    image->nr_files++;
    return true;
}

bool foreign_image_add_part(struct foreign_image *image, struct foreign_piece piece, const char *name,
                            struct error *error)
{
    const struct foreign_file *file = &image->files[piece.file];
    if (piece.offset > file->size || piece.size > file->size - piece.offset)
        return error_set(error, ERROR_IMAGE_SHORT, file->size, "%s", name);
    if (piece.size > 0 && piece.gva + (piece.size - 1) < piece.gva)
        return error_set(error, ERROR_IMAGE_ADDRESS, piece.gva, "%s", name);
    struct foreign_piece *pieces = realloc(image->pieces, (image->nr_pieces + 1) * sizeof(*pieces));
    if (!pieces)
        return error_set(error, ERROR_MEMORY, 0, "%s", name);
    image->pieces = pieces;
    if (piece.size > 0)
        pieces[image->nr_pieces++] = piece;
    return true;
}

bool foreign_image_add_piece(struct foreign_image *image, struct foreign_piece piece, const char *name,
                             struct error *error)
{
    piece.file = image->nr_files - 1;
    return foreign_image_add_part(image, piece, name, error);
}

/* A page that contains bytes of a piece. */
struct page {
    uint64_t space, number; /* number: the address divided by the page size */
    const uint8_t *bytes;   /* in a file, or own; NULL: none yet */
    uint8_t *own;           /* NULL, or a page of bytes followed by a page of flags: is the byte known? */
};

static uint64_t first_page(const struct foreign_piece *piece)
{
    return piece->gva / PAGE;
}

static uint64_t count_pages(const struct foreign_piece *piece)
{
    return (piece->gva + (piece->size - 1)) / PAGE - first_page(piece) + 1;
}

static int compare_pages(const void *left, const void *right)
{
    const struct page *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* All pages that contain bytes, each once, sorted. NULL: out of memory. */
static struct page *list_pages(const struct foreign_image *image, size_t *count)
{
    size_t all = 0, used = 0;
    for (size_t i = 0; i < image->nr_pieces; i++)
        all += (size_t)count_pages(&image->pieces[i]);
    struct page *list = malloc((all + 1) * sizeof(*list));
    *count = 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < image->nr_pieces; i++)
        for (uint64_t k = 0; k < count_pages(&image->pieces[i]); k++)
            list[used++] = (struct page){.space = image->pieces[i].space, .number = first_page(&image->pieces[i]) + k};
    qsort(list, used, sizeof(*list), compare_pages);
    for (size_t i = 0; i < used; i++)
        if (i == 0 || compare_pages(&list[i], &list[i - 1]))
            list[(*count)++] = list[i];
    return list;
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

/* Fill a part of a page. false: it has different bytes, or out of memory. */
static bool lay_part(struct foreign_image *image, struct page *page, uint64_t offset, const uint8_t *from,
                     uint64_t size, struct error *error)
{
    if (size == PAGE && !page->own && (!page->bytes || image->later_wins || !memcmp(page->bytes, from, PAGE))) {
        page->bytes = from;
        return true;
    }
    if (!own_bytes(image, page))
        return error_set(error, ERROR_MEMORY, 0, "the images");
    uint8_t *bytes = page->own + offset, *known = bytes + PAGE;
    for (uint64_t i = 0; i < size; i++) {
        if (known[i] && bytes[i] != from[i] && !image->later_wins)
            return error_set(error, ERROR_IMAGE_TWICE, page->number * PAGE + offset + i, "two images");
        bytes[i] = from[i];
        known[i] = 1;
    }
    return true;
}

static bool lay_piece(struct foreign_image *image, const struct foreign_piece *piece, struct page *list, size_t count,
                      struct error *error)
{
    const uint8_t *from = image->files[piece->file].bytes + piece->offset;
    const struct page first = {.space = piece->space, .number = first_page(piece)};
    struct page *page = bsearch(&first, list, count, sizeof(*list), compare_pages);
    for (uint64_t done = 0; done < piece->size; page++) {
        const uint64_t offset = (piece->gva + done) % PAGE;
        const uint64_t part = PAGE - offset < piece->size - done ? PAGE - offset : piece->size - done;
        if (!lay_part(image, page, offset, from + done, part, error))
            return false;
        done += part;
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
    size_t count, nr_maps = 0;
    struct code_map *maps = NULL;
    struct page *list = list_pages(image, &count);
    bool good = list || error_set(error, ERROR_MEMORY, 0, "the images");
    for (size_t i = 0; i < image->nr_pieces && good; i++)
        good = lay_piece(image, &image->pieces[i], list, count, error);
    struct page_record *records = good ? make_records(list, count) : NULL;
    const bool mapped = good && make_maps(&maps, &nr_maps, list, count);
    free(list);
    if (!good)
        return false;
    if (records && mapped)
        return code_pages_build(pages, records, count, maps, nr_maps) ||
               error_set(error, ERROR_MEMORY, 0, "the images");
    free(records);
    free(maps);
    return error_set(error, ERROR_MEMORY, 0, "the images");
}

const struct foreign_piece *foreign_image_piece(const struct foreign_image *image, uint64_t gva)
{
    for (size_t i = image->nr_pieces; i-- > 0;) {
        const struct foreign_piece *piece = &image->pieces[i];
        if (piece->space == 0 && gva - piece->gva < piece->size)
            return piece;
    }
    return NULL;
}

void foreign_image_free(struct foreign_image *image)
{
    for (size_t i = 0; i < image->nr_files; i++)
        foreign_file_free(&image->files[i]);
    for (size_t i = 0; i < image->nr_memory; i++)
        free(image->memory[i]);
    free(image->files);
    free(image->pieces);
    free(image->memory);
    *image = (struct foreign_image){0};
}
