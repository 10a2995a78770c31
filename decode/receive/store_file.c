#include "decode/receive/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (512u * 1024u)

bool store_file_open(struct store_file *file, int directory, const char *directory_name, const char *name,
                     struct error *error)
{
    *file = (struct store_file){.directory = directory, .directory_name = directory_name, .error = error, .fd = -1};
    snprintf(file->name, sizeof(file->name), "%s", name);
    file->buffer = malloc(BUFFER_BYTES);
    if (file->buffer)
        file->fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd >= 0)
        return true;
    file->failed = true;
    return error_set(error, ERROR_CANNOT_MAKE, 0, "%s/%s", directory_name, name);
}

uint64_t store_file_end(const struct store_file *file)
{
    return file->written + file->used;
}

bool store_file_flush(struct store_file *file)
{
    size_t at = 0;
    while (at < file->used && !file->failed) {
        ssize_t done = pwrite(file->fd, file->buffer + at, file->used - at, (off_t)(file->written + at));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            error_set(file->error, ERROR_CANNOT_WRITE_AT, file->written + at, "%s/%s", file->directory_name,
                      file->name);
            file->failed = true;
        } else {
            at += (size_t)done;
        }
    }
    file->written += at;
    file->used = 0;
    return !file->failed;
}

bool store_file_append(struct store_file *file, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        if (file->used == BUFFER_BYTES && !store_file_flush(file))
            return false;
        size_t part = BUFFER_BYTES - file->used;
        part = part < size ? part : size;
        memcpy(file->buffer + file->used, from, part);
        file->used += part;
        from += part;
        size -= part;
    }
    return !file->failed;
}

bool store_file_skip_to(struct store_file *file, uint64_t offset)
{
    if (!store_file_flush(file))
        return false;
    file->written = offset;
    return true;
}

void store_file_close(struct store_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->buffer);
    file->fd = -1;
    file->buffer = NULL;
}
