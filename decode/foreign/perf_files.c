#include "decode/foreign/perf_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/capture/list.h"

/* Devices can be mapped too, but do not contain the code, and reading them may never end. */
static bool is_readable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0;
}

static bool read_file(struct perf_files *files, struct foreign_image *image, struct perf_named *named,
                      struct error *error)
{
    const char *root = files->root ? files->root : "";
    const size_t size = strlen(root) + strlen(named->name) + 1;
    char *path = malloc(size);
    if (!path)
        return error_set(error, ERROR_MEMORY, 0, "%s", named->name);
    snprintf(path, size, "%s%s", root, named->name);
    named->missing = named->name[0] != '/' || !is_readable(path);
    const bool good = named->missing || foreign_image_add_file(image, path, error);
    named->file = image->nr_files - 1;
    free(path);
    return good;
}

/* NULL: error says why. */
static const struct perf_named *find_file(struct perf_files *files, struct foreign_image *image,
                                          const struct perf_mapping *mapping, struct error *error)
{
    const size_t length = strnlen(mapping->name, mapping->name_size);
    for (size_t i = files->count; i-- > 0;)
        if (!strncmp(files->items[i].name, mapping->name, length) && !files->items[i].name[length])
            return &files->items[i];
    void *items = files->items;
    struct perf_named *named = list_add(&items, &files->count, &files->room, sizeof(*named));
    files->items = items;
    if (named)
        *named = (struct perf_named){.name = strndup(mapping->name, length), .missing = true};
    if (!named || !named->name) {
        files->count -= named != NULL;
        error_set(error, ERROR_MEMORY, 0, "a mapping");
        return NULL;
    }
    return read_file(files, image, named, error) ? named : NULL;
}

/* Code that perf has no file of hides the code of earlier mappings that was there. Its own size may be anything. */
static bool add_unknown(const struct perf_files *files, struct foreign_image *image, const struct perf_mapping *mapping,
                        uint64_t space, uint64_t since, struct error *error)
{
    const size_t count = image->nr_pieces;
    const uint64_t last = mapping->gva + (mapping->size - 1);
    if (since == 0 || mapping->size == 0 || last < mapping->gva)
        return true;
    for (size_t i = files->first_piece; i < count; i++) {
        const struct foreign_piece *hidden = &image->pieces[i];
        const uint64_t from = hidden->gva > mapping->gva ? hidden->gva : mapping->gva;
        const uint64_t hidden_last = hidden->gva + (hidden->size - 1), to = hidden_last < last ? hidden_last : last;
        const struct foreign_piece piece = {
            .gva = from, .size = to - from + 1, .file = FOREIGN_NO_FILE, .space = space, .since = since};
        if (hidden->space == space && hidden->file != FOREIGN_NO_FILE && from <= to &&
            !foreign_image_add_part(image, piece, "a mapping", error))
            return false;
    }
    return true;
}

bool perf_files_add(struct perf_files *files, struct foreign_image *image, const struct perf_mapping *mapping,
                    uint64_t space, uint64_t since, struct error *error)
{
    const struct perf_named *named = find_file(files, image, mapping, error);
    if (!named)
        return false;
    files->nr_missing += named->missing;
    if (named->missing)
        return add_unknown(files, image, mapping, space, since, error);
    const uint64_t size = image->files[named->file].size;
    if (mapping->offset >= size)
        return true;
    const struct foreign_piece piece = {.gva = mapping->gva,
                                        .size = mapping->size < size - mapping->offset ? mapping->size
                                                                                       : size - mapping->offset,
                                        .offset = mapping->offset,
                                        .file = named->file,
                                        .space = space,
                                        .since = since};
    return foreign_image_add_part(image, piece, named->name, error);
}

void perf_files_free(struct perf_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].name);
    free(files->items);
    *files = (struct perf_files){0};
}
