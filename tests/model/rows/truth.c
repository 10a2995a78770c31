/*
 * What the decoders must find of a row: of every branch of the run, those that touch its code.
 */
#include <stdlib.h>

#include "check.h"
#include "tests/model/selftest/branches.h"

static bool in_row(const struct result *row, const struct expectation *expected, uint64_t address)
{
    uint64_t base = IMAGE_BASE;
    for (unsigned i = 0; i <= expected->nr_mapped; base = expected->mapped[i++])
        if (address - base >= row->start - IMAGE_BASE && address - base < row->end - IMAGE_BASE)
            return true;
    return false;
}

/* As the payloads have it. */
static uint64_t payload(const struct expectation *expected, uint64_t address)
{
    bool based = expected->rip && address >= expected->code32 && address < expected->code32_end;
    return based ? address - IMAGE_BASE : address;
}

struct branches row_truth(const struct result *row, const struct expectation *expected, const struct bytes *run)
{
    const struct branch *branch = (const struct branch *)run->bytes;
    size_t nr = run->size / sizeof(*branch);
    struct branches truth = {.list = malloc((nr + 1) * sizeof(*branch))};
    if (truth.list == NULL)
        die("memory", "none left");
    for (size_t i = 0; i < nr; i++) /* a row that overflows has a run of its own */
        if (branch[i].from == BRANCHES_OVERFLOW || in_row(row, expected, branch[i].from) ||
            in_row(row, expected, branch[i].to))
            truth.list[truth.nr++] =
                (struct branch){payload(expected, branch[i].from), payload(expected, branch[i].to)};
    return truth;
}
