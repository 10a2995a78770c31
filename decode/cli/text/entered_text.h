/* The list of undertrace names. */
#ifndef DECODE_CLI_TEXT_ENTERED_TEXT_H
#define DECODE_CLI_TEXT_ENTERED_TEXT_H

#include <stdio.h>

#include "decode/report/entered.h"

/* Print the functions by space and address. */
void entered_print(FILE *file, const struct entered *seen);

#endif
