/* What a capture shows of the self-test's own guest: lines for undertrace hardware. */
#ifndef DECODE_CLI_TEXT_BUILTIN_TEXT_H
#define DECODE_CLI_TEXT_BUILTIN_TEXT_H

#include <stdio.h>

#include "decode/capture/capture.h"

/* Where that guest was traced, decode it and write lines "guest ..." and "guest_wrong ..." (decode/report/hardware.h).
 * false: it could not be decoded, said why. */
bool builtin_write(FILE *file, const struct capture *capture);

#endif
