/* Shared by the commands that read a capture. */
#ifndef DECODE_CLI_OPTIONS_OPEN_CAPTURE_H
#define DECODE_CLI_OPTIONS_OPEN_CAPTURE_H

#include <stdbool.h>

#include "decode/capture/capture.h"

/* Calls capture_open. NULL: a message says why. */
struct capture *open_capture(const char *directory);

/* Report damage found by the checks so far, and parts that cannot be checked. Returns whether anything is damaged. */
bool damages_print(const struct capture *capture);

#endif
