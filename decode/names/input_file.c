#include "decode/names/input_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/names/unpack.h"

#define LARGEST ((size_t)1 << 30)

static bool map(struct input_file *file, int descriptor, size_t size)
{
    void *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : NULL;
    if (bytes == MAP_FAILED)
        return false;
    *file = (struct input_file){.bytes = bytes, .size = size};
    return true;
}

bool input_file_open(struct input_file *file, const char *name, struct error *error)
{
    struct error ignored = {0};
    struct stat status;
    *file = (struct input_file){0};
    const int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would block */
    bool good = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (good && !S_ISREG(status.st_mode)) {
        close(descriptor);
        return error_set(error ? error : &ignored, ERROR_NAMES, 0, "%s: not a regular file", name);
    }
    good = good && map(file, descriptor, (size_t)status.st_size);
    if (!good)
        error_set(error ? error : &ignored, ERROR_CANNOT_OPEN, 0, "%s", name);
    if (descriptor >= 0)
        close(descriptor);
    return good;
}

bool input_file_begins(const char *name, const void *magic, size_t size)
{
    uint8_t bytes[8];
    const int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const ssize_t count = pread(descriptor, bytes, size < sizeof(bytes) ? size : sizeof(bytes), 0);
    close(descriptor);
    return count == (ssize_t)size && !memcmp(bytes, magic, size);
}

bool input_file_open_unpacked(struct input_file *file, const char *name, struct error *error)
{
    struct error ignored = {0};
    if (!input_file_open(file, name, error))
        return false;
    if (!unpack_begins(file->bytes, file->size))
        return true;
    size_t size = 0;
    uint8_t *bytes = unpack(&size, file->bytes, file->size, 0, LARGEST, name, error ? error : &ignored);
    input_file_close(file);
    *file = (struct input_file){bytes, size, bytes};
    return bytes;
}

void input_file_close(struct input_file *file)
{
    if (file->unpacked)
        free(file->unpacked);
    else if (file->bytes)
        munmap((void *)file->bytes, file->size);
    *file = (struct input_file){0};
}
