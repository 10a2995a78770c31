/* Compares decoded branches one by one with the emulator's list of all branches; for small runs. */
#ifndef DECODE_BRANCH_CHECK_H
#define DECODE_BRANCH_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/truth.h"

struct branch_check {
    const struct truth_branch *expected;
    size_t count;
    uint64_t decoded; /* branches that were taken */
    bool differs;     /* at first_index */
    uint64_t first_index;
    struct truth_branch first; /* the decoded branch there */
};

/* Map a list, an array of struct truth_branch. false: error says why. */
bool branch_check_open(struct branch_check *check, const char *file, struct error *error);
void branch_check_close(struct branch_check *check);

/* Take the next decoded branch; a branch hook. Pure. */
void branch_check_take(void *check, uint64_t from, uint64_t to);

/* After all decoded branches were taken: are the lists equal? */
static inline bool branch_check_equal(const struct branch_check *check)
{
    return !check->differs && check->decoded == check->count;
}

#endif
