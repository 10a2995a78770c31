/*
 * What differs between the calls of two boots: tasks are paired by name, and
 * the call trees of each pair are aligned, from the outermost calls inwards.
 * Equal trees are aligned first, then, in the gaps between them, calls of one
 * function whose callees are alike, then any of one function; what remains ran
 * in one boot only. Pure.
 */
#ifndef DECODE_ALIGN_ALIGN_H
#define DECODE_ALIGN_ALIGN_H

#include "decode/align/alignment.h"

/* Both boots must share the trees. false: no memory. */
bool align_boots(struct alignment *alignment, const struct boot_calls *a, const struct boot_calls *b);
void alignment_free(struct alignment *alignment);

#endif
