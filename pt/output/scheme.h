/*
 * Which output scheme a CPU gets, and what memory it takes. Core.
 *
 * Source: SDM "Trace Output" (36.2.6), Table "CPUID Leaf 14H Enumeration" (36.3.1): ECX.TOPAOUT, MENTRY, SNGLRNGOUT.
 */
#ifndef PT_OUTPUT_SCHEME_H
#define PT_OUTPUT_SCHEME_H

#include "pt/caps.h"

/* config->scheme on this CPU, AUTO resolved. Refuses what the CPU does not have, and sizes that the scheme cannot do.
 */
enum pt_refusal pt_scheme_resolve(enum pt_scheme *scheme, const struct pt_cpuid *cpuid,
                                  const struct pt_options *config);

/* The options' word for a scheme. */
const char *pt_scheme_name(enum pt_scheme scheme);

/* What the trace memory must be aligned to, in bytes. A region to its size; a single range to its own. */
uint64_t pt_scheme_align(enum pt_scheme scheme, const struct pt_options *config);

/* Bytes of a single range: the largest power of two that the regions hold. */
uint64_t pt_scheme_range_bytes(const struct pt_options *config);

#endif
