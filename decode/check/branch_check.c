#include "decode/check/branch_check.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/cli/message.h"

bool branch_check_open(struct branch_check *check, const char *file)
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
        message_errno("%s", file);
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

static void print_branch(FILE *file, const char *mark, uint64_t index, const struct truth_branch *branch)
{
    fprintf(file, "  %-8s %10" PRIu64 "  %016" PRIx64 " %016" PRIx64 "\n", mark, index, branch->from, branch->to);
}

bool branch_check_print(const struct branch_check *check, FILE *file)
{
    if (!check->differs && check->decoded == check->count)
        return true;
    uint64_t at = check->differs ? check->first_index : check->decoded;
    fprintf(file, "branch by branch: %zu taken, %" PRIu64 " decoded, the first difference is at number %" PRIu64 "\n",
            check->count, check->decoded, at);
    uint64_t from = at > BRANCH_CHECK_CONTEXT ? at - BRANCH_CHECK_CONTEXT : 0;
    for (uint64_t i = from; i < at; i++)
        print_branch(file, "both", i, &check->expected[i]);
    if (check->differs)
        print_branch(file, "decoded", at, &check->first);
    for (uint64_t i = at; i < check->count && i < at + BRANCH_CHECK_CONTEXT / 2; i++)
        print_branch(file, "taken", i, &check->expected[i]);
    return false;
}
