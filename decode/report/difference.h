/* The first difference between a decoded trace and the truth, in words and as JSON. */
#ifndef DECODE_DIFFERENCE_H
#define DECODE_DIFFERENCE_H

#include <stdio.h>

#include "decode/check/truth_file.h"

/* Lines of text, indented by two. */
void difference_print(FILE *file, const struct truth_difference *difference);

/* An object, or null where there is no difference. */
void difference_json(FILE *file, const struct truth_difference *difference);

#endif
