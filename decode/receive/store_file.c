#include "decode/receive/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (512u * 1024u)

static bool open_file(struct store_file *file, const char *name, int flags)
{
    snprintf(file->name, sizeof(file->name), "%s", name);
    file->fd = -1;
    file->buffer = malloc(BUFFER_BYTES);
    if (file->buffer)
        file->fd = openat(file->directory, name, flags | O_CLOEXEC, 0666);
    if (file->fd >= 0)
        return true;
    file->failed = true;
    return error_set(file->error, flags & O_CREAT ? ERROR_CANNOT_MAKE : ERROR_CANNOT_OPEN, 0, "%s/%s",
                     file->directory_name, name);
}

bool store_file_open(struct store_file *file, const char *name)
{
    return open_file(file, name, O_WRONLY | O_CREAT | O_EXCL);
}

static const char *set_summed(struct store_file *file, enum checksum_file kind, uint16_t cpu,
                              struct store_file *checksums, char name[CHECKSUM_FILE_NAME])
{
    file->checksums = checksums;
    file->kind = kind;
    file->cpu = cpu;
    return checksum_file_name(name, kind, cpu);
}

bool store_file_open_summed(struct store_file *file, enum checksum_file kind, uint16_t cpu,
                            struct store_file *checksums)
{
    char name[CHECKSUM_FILE_NAME];
    return store_file_open(file, set_summed(file, kind, cpu, checksums, name));
}

/* bytes: of the file's end, which the system must have kept. */
static bool cut_file(struct store_file *file, uint64_t bytes)
{
    struct stat status;
    if (fstat(file->fd, &status) == 0 && (uint64_t)status.st_size >= bytes && ftruncate(file->fd, (off_t)bytes) == 0)
        return true;
    file->failed = true;
    return error_set(file->error, ERROR_NO_RESUME, 0, "%s/%s: it is shorter than what was acknowledged",
                     file->directory_name, file->name);
}

bool store_file_reopen(struct store_file *file, const char *name, uint64_t end)
{
    file->written = end;
    return open_file(file, name, O_RDWR) && cut_file(file, end);
}

bool store_file_reopen_summed(struct store_file *file, enum checksum_file kind, uint16_t cpu,
                              struct store_file *checksums, uint64_t end, uint64_t summed)
{
    char name[CHECKSUM_FILE_NAME];
    file->written = end;
    file->summed = summed;
    return open_file(file, set_summed(file, kind, cpu, checksums, name), O_RDWR) && cut_file(file, summed);
}

uint64_t store_file_end(const struct store_file *file)
{
    return file->written + file->used;
}

bool store_file_sum(struct store_file *checksums, enum checksum_file kind, uint16_t cpu, uint64_t offset,
                    const void *bytes, uint64_t size)
{
    struct checksum_entry entry = {.file = (uint16_t)kind, .cpu = cpu, .offset = offset, .size = size};
    if (bytes)
        entry.crc = checksum_of(bytes, (size_t)size);
    else
        entry.flags = CHECKSUM_HOLE;
    checksum_seal(&entry);
    return store_file_append(checksums, &entry, sizeof(entry));
}

/* The first size bytes of the buffer are in the file. */
static void sum_written(struct store_file *file, size_t size)
{
    if (!file->checksums || size == 0)
        return;
    if (file->summed < file->written)
        store_file_sum(file->checksums, file->kind, file->cpu, file->summed, NULL, file->written - file->summed);
    for (size_t at = 0; at < size; at += CHECKSUM_BLOCK) {
        size_t block = size - at < CHECKSUM_BLOCK ? size - at : CHECKSUM_BLOCK;
        store_file_sum(file->checksums, file->kind, file->cpu, file->written + at, file->buffer + at, block);
    }
    file->summed = file->written + size;
}

/* EFBIG: of a process with a limit, which prlimit can raise. */
bool store_waits(const struct store_waiter *waiter)
{
    const int reason = errno;
    const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
    const bool again = full && waiter->wait && waiter->wait(waiter->context, reason);
    errno = reason;
    return again;
}

bool store_file_flush(struct store_file *file)
{
    size_t at = 0;
    while (at < file->used && !file->failed) {
        ssize_t done = pwrite(file->fd, file->buffer + at, file->used - at, (off_t)(file->written + at));
        if (done < 0 && (errno == EINTR || store_waits(file->waiter)))
            continue;
        if (done <= 0) {
            error_set(file->error, ERROR_CANNOT_WRITE_AT, file->written + at, "%s/%s", file->directory_name,
                      file->name);
            file->failed = true;
        } else {
            at += (size_t)done;
        }
    }
    sum_written(file, at);
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
