/*
 * The longest common subsequence of two sequences of numbers. E. Myers, "An
 * O(ND) Difference Algorithm and Its Variations" (1986). Pure.
 */
#ifndef DECODE_ALIGN_SEQUENCE_H
#define DECODE_ALIGN_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEQUENCE_NONE SIZE_MAX

/* At most so many insertions and deletions in one stretch are searched for the
 * best alignment: it then ends where most of both is aligned, and another
 * stretch begins. The time is at most this times the sum of both lengths. */
#define SEQUENCE_EDITS 512u

/* partner[i]: the index in b of what a[i] is aligned with, in ascending order;
 * SEQUENCE_NONE: nothing. false: no memory.
 */
bool sequence_align(size_t *partner, const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b);

#endif
