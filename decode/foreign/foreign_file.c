#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/foreign/foreign_image.h"

#define FIRST_ROOM 65536u

/* Read to the end: the file may be a pipe, without a size. */
static bool read_all(struct foreign_file *file, FILE *from)
{
    size_t room = 0, part;
    do {
        if (file->size == room) {
            const size_t larger = room ? 2 * room : FIRST_ROOM;
            uint8_t *bytes = realloc(file->bytes, larger);
            if (!bytes)
                return false;
            file->bytes = bytes;
            room = larger;
        }
        part = fread(file->bytes + file->size, 1, room - file->size, from);
        file->size += part;
    } while (part > 0);
    return true;
}

bool foreign_file_read(struct foreign_file *file, const char *name, struct error *error)
{
    *file = (struct foreign_file){0};
    FILE *from = fopen(name, "rbe");
    if (!from)
        return error_set(error, ERROR_CANNOT_OPEN, 0, "%s", name);
    errno = 0;
    bool good = read_all(file, from);
    if (!good)
        error_set(error, ERROR_MEMORY, 0, "%s", name);
    else if (ferror(from))
        good = error_set(error, ERROR_CANNOT_OPEN, 0, "%s", name);
    fclose(from);
    if (!good)
        foreign_file_free(file);
    return good;
}

void foreign_file_free(struct foreign_file *file)
{
    free(file->bytes);
    *file = (struct foreign_file){0};
}
