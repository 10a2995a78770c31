/* The first difference between a decoded trace and the truth, as text and as JSON. */
#ifndef DECODE_DIFFERENCE_H
#define DECODE_DIFFERENCE_H

#include <stdio.h>

#include "decode/check/branch_check.h"
#include "decode/check/branch_parts.h"
#include "decode/check/truth_file.h"

/* Print lines of text, indented by two. */
void difference_print(FILE *file, const struct truth_difference *difference);

/* Print an object, or null if there is no difference. */
void difference_json(FILE *file, const struct truth_difference *difference);

/* The same for a trace with gaps. */
void branch_parts_print(FILE *file, const struct branch_parts *parts);

/* Print the first difference from a list of all branches, with its neighbours; nothing if all are equal. */
void branch_difference_print(FILE *file, const struct branch_check *check);

#endif
