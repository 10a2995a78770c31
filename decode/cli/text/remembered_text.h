/* The files that a capture's names come from, as they are remembered. */
#ifndef DECODE_CLI_TEXT_REMEMBERED_TEXT_H
#define DECODE_CLI_TEXT_REMEMBERED_TEXT_H

#include <stdio.h>

#include "decode/capture/capture.h"

/* Print one line for each, after this text: "kernel PATH, build ID ...", or "kernel PATH, which is gone or has
 * changed". Of the files that were searched for, only how many there are. */
void remembered_print(FILE *file, const struct capture *capture, const char *before);

/* Write an array with an object for each: kind, path, build_id. */
void remembered_json(FILE *file, const struct capture *capture);

#endif
