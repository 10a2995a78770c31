/* The first difference between a decoded trace and the truth, in words and as JSON. */
#ifndef DECODE_DIFFERENCE_H
#define DECODE_DIFFERENCE_H

#include <stdio.h>

#include "decode/check/branch_check.h"
#include "decode/check/branch_parts.h"
#include "decode/check/truth_file.h"

/* Lines of text, indented by two. */
void difference_print(FILE *file, const struct truth_difference *difference);

/* An object, or null where there is no difference. */
void difference_json(FILE *file, const struct truth_difference *difference);

/* The same of a trace with gaps. */
void branch_parts_print(FILE *file, const struct branch_parts *parts);

/* Of a list of all branches: lines of text with the branches around; nothing where all are equal. */
void branch_difference_print(FILE *file, const struct branch_check *check);

#endif
