/* The functions of two captures. */
#ifndef DECODE_QUERY_COMPARE_H
#define DECODE_QUERY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/query/indexed_capture.h"
#include "decode/query/occurrence.h"

/* What one capture calls an address of the kernel, less what the other one calls it: the kernel may stand elsewhere. */
struct compare_slide {
    bool known;
    uint64_t difference; /* b's address less a's */
};

/* By the lowest addresses of the kernel's image that both executed; known: they can be the same place. */
struct compare_slide compare_slides(const struct indexed_capture *a, const struct indexed_capture *b);

/* Where b has what stands at an address in a. */
static inline uint64_t compare_moved(const struct compare_slide *slide, uint64_t address)
{
    return address >> 63 && slide->known ? address + slide->difference : address;
}

/* Are two names, of a and of b, one function's? By symbol and object where both have one, else by where they begin. */
bool compare_same_name(const struct compare_slide *slide, const struct name *a, const struct name *b);

/* A function of one capture, or of both. */
struct compared_function {
    const struct executed_function *a, *b; /* NULL: it did not run there */
};

struct comparison {
    struct executed_function *functions[2];
    size_t counts[2];
    struct compared_function *items; /* all of both */
    size_t nr_items;
    size_t only_a, only_b, both, other_counts; /* other_counts: of both, entered more often in one */
};

/* Functions of several spaces are one here. false: no memory. */
bool compare_functions(struct comparison *comparison, const struct indexed_capture *a, const struct indexed_capture *b,
                       const struct compare_slide *slide);
void comparison_free(struct comparison *comparison);

#endif
