/* `undertrace info --json`. docs/capture.md lists the fields. */
#ifndef DECODE_CLI_TEXT_INFO_JSON_H
#define DECODE_CLI_TEXT_INFO_JSON_H

#include <stdio.h>

#include "decode/capture/capture.h"

/* Call after the traces were checked. */
void info_json(FILE *file, const struct capture *capture);

#endif
