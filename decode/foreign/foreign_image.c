#include "decode/foreign/foreign_image.h"

#include <stdlib.h>
#include <string.h>

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)

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

bool foreign_image_add_piece(struct foreign_image *image, struct foreign_piece piece, const char *name,
                             struct error *error)
{
    const struct foreign_file *file = &image->files[image->nr_files - 1];
    if (piece.offset > file->size || piece.size > file->size - piece.offset)
        return error_set(error, ERROR_IMAGE_SHORT, file->size, "%s", name);
    if (piece.size > 0 && piece.gva + (piece.size - 1) < piece.gva)
        return error_set(error, ERROR_IMAGE_ADDRESS, piece.gva, "%s", name);
    struct foreign_piece *pieces = realloc(image->pieces, (image->nr_pieces + 1) * sizeof(*pieces));
    if (!pieces)
        return error_set(error, ERROR_MEMORY, 0, "%s", name);
    image->pieces = pieces;
    piece.file = image->nr_files - 1;
    if (piece.size > 0)
        pieces[image->nr_pieces++] = piece;
    return true;
}

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
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The numbers of all pages that have bytes, each once, rising. NULL: no memory. */
static uint64_t *list_pages(const struct foreign_image *image, size_t *count)
{
    size_t all = 0, used = 0;
    for (size_t i = 0; i < image->nr_pieces; i++)
        all += (size_t)count_pages(&image->pieces[i]);
    uint64_t *list = malloc((all + 1) * sizeof(*list));
    *count = 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < image->nr_pieces; i++)
        for (uint64_t k = 0; k < count_pages(&image->pieces[i]); k++)
            list[used++] = first_page(&image->pieces[i]) + k;
    qsort(list, used, sizeof(*list), compare_pages);
    for (size_t i = 0; i < used; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[(*count)++] = list[i];
    return list;
}

/* Lay a piece over the pages, each of which has its bytes and behind them which are known. */
static bool lay_piece(const struct foreign_image *image, const struct foreign_piece *piece, const uint64_t *list,
                      size_t count, struct error *error)
{
    const uint8_t *from = image->files[piece->file].bytes + piece->offset;
    const uint64_t first = first_page(piece);
    const uint64_t *place = bsearch(&first, list, count, sizeof(*list), compare_pages);
    for (uint64_t done = 0; done < piece->size; place++) {
        const uint64_t gva = piece->gva + done, offset = gva % PAGE;
        const uint64_t part = PAGE - offset < piece->size - done ? PAGE - offset : piece->size - done;
        uint8_t *bytes = image->memory + (size_t)(place - list) * 2 * PAGE + offset, *known = bytes + PAGE;
        for (uint64_t i = 0; i < part; i++) {
            if (known[i] && bytes[i] != from[done + i] && !image->later_wins)
                return error_set(error, ERROR_IMAGE_TWICE, gva + i, "two images");
            bytes[i] = from[done + i];
            known[i] = 1;
        }
        done += part;
    }
    return true;
}

static struct page_record *make_records(const struct foreign_image *image, const uint64_t *list, size_t count)
{
    struct page_record *records = calloc(count + 1, sizeof(*records));
    for (size_t i = 0; records && i < count; i++) {
        const uint8_t *bytes = image->memory + i * 2 * PAGE, *known = bytes + PAGE;
        records[i] = (struct page_record){.gva = list[i] * PAGE,
                                          .gpa = list[i] * PAGE,
                                          .space = CODE_SPACE_UNKNOWN,
                                          .bytes = bytes,
                                          .known = memchr(known, 0, PAGE) ? known : NULL};
    }
    return records;
}

bool foreign_image_pages(struct foreign_image *image, struct code_pages *pages, struct error *error)
{
    size_t count;
    uint64_t *list = list_pages(image, &count);
    image->memory = calloc(count + 1, 2 * PAGE);
    bool good = list && image->memory;
    if (!good)
        error_set(error, ERROR_MEMORY, 0, "the images");
    for (size_t i = 0; i < image->nr_pieces && good; i++)
        good = lay_piece(image, &image->pieces[i], list, count, error);
    struct page_record *records = good ? make_records(image, list, count) : NULL;
    free(list);
    if (!good)
        return false;
    return (records && code_pages_build(pages, records, count, NULL, 0)) ||
           error_set(error, ERROR_MEMORY, 0, "the images");
}

void foreign_image_free(struct foreign_image *image)
{
    for (size_t i = 0; i < image->nr_files; i++)
        foreign_file_free(&image->files[i]);
    free(image->files);
    free(image->pieces);
    free(image->memory);
    *image = (struct foreign_image){0};
}
