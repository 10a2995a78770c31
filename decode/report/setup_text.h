/* The active configuration of PT, in words, from what the hello record says of the registers. Pure. */
#ifndef DECODE_SETUP_TEXT_H
#define DECODE_SETUP_TEXT_H

#include <stdio.h>

#include "decode/capture/text.h"

/* Lines "  name   words". Nothing where the hello record names no IA32_RTIT_CTL or nothing was traced. */
void setup_print(FILE *file, struct record_text hello);

#endif
