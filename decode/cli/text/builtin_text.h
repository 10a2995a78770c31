/* Results of the self-test's own guest, for undertrace hardware. */
#ifndef DECODE_CLI_TEXT_BUILTIN_TEXT_H
#define DECODE_CLI_TEXT_BUILTIN_TEXT_H

#include <stdio.h>

#include "decode/capture/capture.h"

/* If the capture contains that guest, decode it, and write lines "guest ..." and "guest_wrong ..."
 * (decode/report/hardware.h). false: a message says why it could not be decoded. */
bool builtin_write(FILE *file, const struct capture *capture);

#endif
