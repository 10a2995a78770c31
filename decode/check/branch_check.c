#include "decode/check/branch_check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool branch_check_open(struct branch_check *check, const char *file, struct error *error)
{
    *check = (struct branch_check){0};
    struct stat status;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &status) == 0;
    if (good && status.st_size > 0) {
        void *map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
        good = map != MAP_FAILED;
        if (good) {
            check->expected = map;
            check->count = (size_t)status.st_size / sizeof(struct truth_branch);
        }
    }
    if (!good)
        error_set(error, ERROR_CANNOT_OPEN, 0, "%s", file);
    if (fd >= 0)
        close(fd);
    return good;
}

void branch_check_close(struct branch_check *check)
{
    if (check->expected)
        munmap((void *)(uintptr_t)check->expected, check->count * sizeof(struct truth_branch));
    *check = (struct branch_check){0};
}

void branch_check_take(void *context, uint64_t from, uint64_t to)
{
    struct branch_check *check = context;
    uint64_t i = check->decoded++;
    if (check->differs)
        return;
    if (i < check->count && check->expected[i].from == from && check->expected[i].to == to)
        return;
    check->differs = true;
    check->first_index = i;
    check->first = (struct truth_branch){from, to};
}
