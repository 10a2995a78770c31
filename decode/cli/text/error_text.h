/* Prints errors of other rooms. */
#ifndef DECODE_CLI_TEXT_ERROR_TEXT_H
#define DECODE_CLI_TEXT_ERROR_TEXT_H

#include "decode/report/error_text.h"

/* Print the error's text with message_print. */
void error_print(const struct error *error);

#endif
