/*
 * Which output scheme a CPU uses, and how much memory that needs.
 *
 * Source: SDM "Trace Output" (36.2.6), Table "CPUID Leaf 14H Enumeration" (36.3.1): ECX.TOPAOUT, MENTRY, SNGLRNGOUT.
 */
#ifndef PT_OUTPUT_SCHEME_H
#define PT_OUTPUT_SCHEME_H

#include "pt/caps.h"

/* config->scheme on this CPU, with AUTO resolved. Refuses schemes that the CPU lacks, and sizes that the scheme cannot
 * have. */
enum pt_refusal pt_scheme_resolve(enum pt_scheme *scheme, const struct pt_cpuid *cpuid,
                                  const struct pt_options *config);

/* The scheme's name in the options. */
const char *pt_scheme_name(enum pt_scheme scheme);

/* Alignment in bytes of the trace memory: a region's size, or that of the single range. */
uint64_t pt_scheme_align(enum pt_scheme scheme, const struct pt_options *config);

/* Bytes of a single range: the largest power of two that the regions hold. */
uint64_t pt_scheme_range_bytes(const struct pt_options *config);

#endif
