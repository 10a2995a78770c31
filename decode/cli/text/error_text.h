/* Errors of the rooms below, said. */
#ifndef DECODE_CLI_TEXT_ERROR_TEXT_H
#define DECODE_CLI_TEXT_ERROR_TEXT_H

#include "decode/report/error_text.h"

/* message_say of the text. */
void error_say(const struct error *error);

#endif
