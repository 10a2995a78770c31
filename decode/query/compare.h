/* The functions of two captures. */
#ifndef DECODE_QUERY_COMPARE_H
#define DECODE_QUERY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/query/indexed_capture.h"
#include "decode/query/occurrence.h"

/* The distance between the kernels' addresses in two captures, which differ because of KASLR. */
struct compare_slide {
    bool known;
    uint64_t difference; /* b's address less a's */
};

/* From the lowest addresses of the kernel's image that were executed in both. known: they may be the same instruction.
 */
struct compare_slide compare_slides(const struct indexed_capture *a, const struct indexed_capture *b);

/* The address in b of what is at an address in a. */
static inline uint64_t compare_moved(const struct compare_slide *slide, uint64_t address)
{
    return address >> 63 && slide->known ? address + slide->difference : address;
}

/* Do a name of a and a name of b mean the same function? Decided by symbol and object if both have them, otherwise by
 * address. */
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
    size_t only_a, only_b, both, other_counts; /* other_counts: those of both that one entered more often */
};

/* A function that was executed in several spaces is one item. false: no memory. */
bool compare_functions(struct comparison *comparison, const struct indexed_capture *a, const struct indexed_capture *b,
                       const struct compare_slide *slide);
/* Sort by what differs most: functions of one capture by how often they were entered, those of both by the difference
 * of their counts, each in descending order; equal ones by their first execution in a, or in b. */
void comparison_sort(struct comparison *comparison);
void comparison_free(struct comparison *comparison);

#endif
