/*
 * The branches of a trace, as libipt's instruction decoder finds them.
 */
#ifndef SELFTEST_BRANCHES_H
#define SELFTEST_BRANCHES_H

#include <intel-pt.h>
#include <stddef.h>
#include <stdint.h>

/* from = BRANCHES_OVERFLOW: branches are missing here; the trace continues at to, or at a TIP.PGE (0). */
struct branch {
    uint64_t from, to;
};
#define BRANCHES_OVERFLOW (~0ull)

struct branches {
    struct branch *list;
    size_t nr;
    /* The addresses of all instructions. */
    uint64_t *instructions;
    size_t nr_instructions;
    /* What stopped the decoder before the end: a pt_error_code, or 0. And where. */
    int error;
    uint64_t error_offset;
};

/* Decode from the first PSB to the end. config: begin, end and filters are set; image: the code. Free the lists. Ends
 * the process when there is no memory. */
struct branches branches_decode(const struct pt_config *config, struct pt_image *image);

/* At an overflow in the decoded branches, the truth's may be missing there up to the truth's mark of the overflow. */
struct comparison {
    size_t decoded, truth, equal, lost, overflows; /* the first two: how far they agree */
};

struct comparison branches_compare(const struct branches *found, const struct branch *expected, size_t nr_expected);

#endif
