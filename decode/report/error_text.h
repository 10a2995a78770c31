/* The texts of errors. */
#ifndef DECODE_REPORT_ERROR_TEXT_H
#define DECODE_REPORT_ERROR_TEXT_H

#include <stddef.h>

#include "decode/capture/error.h"

#define ERROR_TEXT_MAX 1024u

/* Format the error, without a newline. */
void error_text(char *text, size_t size, const struct error *error);

#endif
