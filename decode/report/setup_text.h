/* The active configuration of PT as text, from the registers in the hello record. Pure. */
#ifndef DECODE_SETUP_TEXT_H
#define DECODE_SETUP_TEXT_H

#include <stdio.h>

#include "decode/capture/text.h"

/* Print lines "  name   words". Nothing if the hello record has no IA32_RTIT_CTL, or nothing was traced. */
void setup_print(FILE *file, struct record_text hello);

#endif
