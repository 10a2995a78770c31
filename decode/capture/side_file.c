#include "decode/capture/side_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int open_directory(const struct capture *capture)
{
    return open(capture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool side_file_map(struct capture_map *map, const struct capture *capture, const char *name)
{
    const int directory = open_directory(capture);
    const bool good = directory >= 0 && capture_map(map, directory, name);
    if (directory >= 0)
        close(directory);
    if (good && map->size == 0)
        capture_unmap(map);
    return good && map->size > 0;
}

static bool write_all(int fd, const char *bytes, uint64_t size)
{
    for (uint64_t at = 0; at < size;) {
        ssize_t done = write(fd, bytes + at, (size_t)(size - at));
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += (uint64_t)done;
    }
    return true;
}

bool side_file_write(const struct capture *capture, const char *name, const void *bytes, uint64_t size)
{
    char part[64];
    const int directory = open_directory(capture);
    if (directory < 0)
        return false;
    snprintf(part, sizeof(part), ".%s.%ld", name, (long)getpid());
    const int fd = openat(directory, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool good = fd >= 0 && write_all(fd, bytes, size);
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && renameat(directory, part, directory, name) != 0) {
        good = false;
        reason = errno;
    }
    if (!good && fd >= 0)
        unlinkat(directory, part, 0);
    close(directory);
    errno = reason;
    return good;
}
