#include "decode/receive/store_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/cli/message.h"

#define BUFFER_BYTES (512u * 1024u)

bool output_open(struct output *output, int directory, const char *directory_name, const char *name)
{
    *output = (struct output){.directory = directory, .directory_name = directory_name, .fd = -1};
    snprintf(output->name, sizeof(output->name), "%s", name);
    output->buffer = malloc(BUFFER_BYTES);
    if (output->buffer)
        output->fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->fd >= 0)
        return true;
    message_errno("%s/%s: cannot be made", directory_name, name);
    output->failed = true;
    return false;
}

uint64_t output_end(const struct output *output)
{
    return output->written + output->used;
}

bool output_flush(struct output *output)
{
    size_t at = 0;
    while (at < output->used && !output->failed) {
        ssize_t done = pwrite(output->fd, output->buffer + at, output->used - at, (off_t)(output->written + at));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            message_errno("%s/%s: cannot be written at offset %" PRIu64, output->directory_name, output->name,
                          output->written + at);
            output->failed = true;
        } else {
            at += (size_t)done;
        }
    }
    output->written += at;
    output->used = 0;
    return !output->failed;
}

bool output_append(struct output *output, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        if (output->used == BUFFER_BYTES && !output_flush(output))
            return false;
        size_t part = BUFFER_BYTES - output->used;
        part = part < size ? part : size;
        memcpy(output->buffer + output->used, from, part);
        output->used += part;
        from += part;
        size -= part;
    }
    return !output->failed;
}

bool output_skip_to(struct output *output, uint64_t offset)
{
    if (!output_flush(output))
        return false;
    output->written = offset;
    return true;
}

void output_close(struct output *output)
{
    if (output->fd >= 0)
        close(output->fd);
    free(output->buffer);
    output->fd = -1;
    output->buffer = NULL;
}
