#include "decode/foreign/foreign_image.h"

#include <stdlib.h>
#include <string.h>

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
    const struct foreign_file *file = piece.file == FOREIGN_NO_FILE ? NULL : &image->files[piece.file];
    if (file && (piece.offset > file->size || piece.size > file->size - piece.offset))
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

const struct foreign_piece *foreign_image_piece(const struct foreign_image *image, uint64_t gva)
{
    for (size_t i = image->nr_pieces; i-- > 0;) {
        const struct foreign_piece *piece = &image->pieces[i];
        if (piece->space == 0 && piece->file != FOREIGN_NO_FILE && gva - piece->gva < piece->size)
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
    free(image->changes);
    *image = (struct foreign_image){0};
}
