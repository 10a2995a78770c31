#include "decode/capture/capture_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSED_AGAIN (8u << 20)

bool capture_map(struct capture_map *map, int directory, const char *name)
{
    struct stat status;
    *map = (struct capture_map){0};
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = fstat(fd, &status) == 0;
    if (good && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
        good = bytes != MAP_FAILED;
        if (good) {
            map->bytes = bytes;
            map->size = (uint64_t)status.st_size;
        }
    }
    int reason = errno;
    close(fd);
    errno = reason;
    map->present = good;
    return good;
}

/* The kernel maps pages around an accessed one, too: so release again what was released before. */
void capture_map_pass(const uint8_t *bytes, uint64_t begin, uint64_t end)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t from = begin > PASSED_AGAIN ? (begin - PASSED_AGAIN) / page * page : 0, to = end / page * page;
    if (from < to)
        madvise((void *)(uintptr_t)(bytes + from), to - from, MADV_DONTNEED);
}

void capture_unmap(struct capture_map *map)
{
    if (map->bytes)
        munmap((void *)(uintptr_t)map->bytes, (size_t)map->size);
    *map = (struct capture_map){0};
}
